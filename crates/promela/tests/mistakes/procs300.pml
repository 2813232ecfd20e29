// expect: error P0440
// says: 300 processes: at most 255
active [300] proctype P() { skip }
