// expect: holds safety
// expect: states 13
/* A random model whose priorities change at run time and whose atomic sequences never end. Thirteen states, but as functions of all
   states, reachable or not, it is a large question which of its actions has the smallest rank. */
byte g0;
byte g1 = 1;
unsigned g2 : 2;
byte born;
active proctype P0() {
    pid l1 = _pid;
    byte l2;
    l2 = (l2 + 1) % 3;
    skip;
    L3:
    atomic {
        do
            ::
                l1 = 0;
                goto L3;
        od;
        assert((l1 == 0));
    };
}
init  priority 3 {
    pid l3 = (1 + 1) % 3;
    run R1();
    run R0(g0);
    run R0(2);
    L1:
    skip;
    for (g0 : 0 .. 1) {
        d_step {
            g0 = 2;
            set_priority(_pid, 2);
        };
    };
    goto L1;
}
proctype R0(byte x) priority 1 {
    short l4;
    g2 = (g2 + 1) % 3;
    atomic {
        do
            ::
                g2 = 0;
                g1 = (l4 % 2);
                skip;
            ::
                !(g0 == _pid) ->
                g0 = (g1 - get_priority(_pid));
                x = (x + 1) % 3;
            ::
                g2 = g1;
                if
                    ::
                        skip;
                        g2 = 2;
                        pid l5 = x;
                        skip;
                    ::
                        else ->
                        skip;
                fi;
        od;
        if
            ::
                g1 = l4;
                skip;
            ::
                (g1 == 0) ->
                skip;
                do
                    ::
                        (g2 >= (x + 1) % 3) ->
                    ::
                        else ->
                        break;
                od;
        fi;
        {
            for (x : 0 .. 1) {
                printf("%d\n", (1 / 2));
            };
        };
        skip;
    };
    bit l6 = 1;
    g2 = (x / 2);
}
proctype R1() priority 2 {
    byte l7;
    short l8;
    L3:
    do
        ::
            g0 = 2;
            g1 = 1;
        ::
            (g2 < 2) ->
        ::
            skip;
            pid l9 = l7;
            do
                ::
                    (l9 >= g1) ->
                ::
                    skip;
                    bit l10;
                    if
                        ::
                            born < 2 ->
                            born++;
                            l9 = run R1() priority 2;
                        ::
                            else;
                    fi;
                    g2 = g1;
            od;
            atomic {
                goto L2;
                g0 = (1 % 2);
                L2:
                skip;
                goto L3;
            };
        ::
            else ->
            skip;
    od;
    g2 = 2;
}
