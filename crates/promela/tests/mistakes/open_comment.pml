// expect: error P0003
// says: this comment does not end
// says: close it by `*/`
init { skip }
/* a comment
