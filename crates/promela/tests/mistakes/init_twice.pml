// expect: error P0416
// says: `init` is declared twice
init { skip }
init { skip }
