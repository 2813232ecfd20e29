// expect: holds safety
// expect: states 10
// expect: transitions 9
#define GLUE(a, b) a ## b
#define NAMED(a, b) GLUE(a, b)
#define SAY(what, ...) printf(#what " is %d\n", ## __VA_ARGS__)
#define TEXT(x) printf(#x)
#define SET(v, e) \
    v = e; /* a comment \
              over lines */ \
    assert(v == (e))
byte GLUE(x, 1), NAMED(line, __LINE__);
active proctype P() {
    SET(x1, 3);
    SET(line12, x1 + 1);
    TEXT(x1  ==  "three");
    x1 = __LINE\
__;
    assert(x1 == 17);
    skip
}
