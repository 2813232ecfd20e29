// expect: error P0418
// says: two properties `never`
init { skip }
never { skip }
never { skip }
