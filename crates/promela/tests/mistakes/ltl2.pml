// expect: error P0418
// says: two properties `p`
init { skip }
ltl p { true }
ltl p { false }
