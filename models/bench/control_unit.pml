// expect: holds safety
// expect: states 40320
// expect: transitions 75600
/* A thousand lines: a control unit whose every mode answers every signal, as generators of code write them.

   For timing: -D WATCH. */

#ifdef WATCH
chan bus = [1] of { byte };
#else
chan bus = [0] of { byte };
#endif
byte lamp;
byte heat;

active proctype Panel()
{
	do
	:: bus!0
	:: bus!1
	:: bus!2
	:: bus!3
	:: bus!4
	:: bus!5
	:: bus!6
	:: bus!7
	:: bus!8
	:: bus!9
	:: bus!10
	:: bus!11
	:: bus!12
	:: bus!13
	:: bus!14
	od
}

active proctype Unit()
{
mode0:
	if
	:: bus?0 -> lamp = 0; goto mode1
	:: bus?1 -> heat = 0; goto mode7
	:: bus?2 -> lamp = (lamp + 3) % 8; goto mode23
	:: bus?3 -> heat = (heat + 1) % 6; goto mode49
	:: bus?4 -> lamp = 4; goto mode25
	:: bus?5 -> heat = 0; goto mode11
	:: bus?6 -> lamp = (lamp + 2) % 8; goto mode7
	:: bus?7 -> heat = (heat + 1) % 6; goto mode13
	:: bus?8 -> lamp = 0; goto mode29
	:: bus?9 -> heat = 0; goto mode55
	:: bus?10 -> lamp = (lamp + 1) % 8; goto mode31
	:: bus?11 -> heat = (heat + 1) % 6; goto mode17
	:: bus?12 -> lamp = 4; goto mode13
	:: bus?13 -> heat = 0; goto mode19
	:: bus?14 -> lamp = (lamp + 5) % 8; goto mode35
	fi;
mode1:
	if
	:: bus?0 -> heat = 0; goto mode8
	:: bus?1 -> lamp = (lamp + 2) % 8; goto mode14
	:: bus?2 -> heat = (heat + 1) % 6; goto mode30
	:: bus?3 -> lamp = 4; goto mode56
	:: bus?4 -> heat = 4; goto mode32
	:: bus?5 -> lamp = (lamp + 1) % 8; goto mode18
	:: bus?6 -> heat = (heat + 1) % 6; goto mode14
	:: bus?7 -> lamp = 0; goto mode20
	:: bus?8 -> heat = 2; goto mode36
	:: bus?9 -> lamp = (lamp + 5) % 8; goto mode2
	:: bus?10 -> heat = (heat + 1) % 6; goto mode38
	:: bus?11 -> lamp = 4; goto mode24
	:: bus?12 -> heat = 0; goto mode20
	:: bus?13 -> lamp = (lamp + 4) % 8; goto mode26
	:: bus?14 -> heat = (heat + 1) % 6; goto mode42
	fi;
mode2:
	if
	:: bus?0 -> lamp = (lamp + 1) % 8; goto mode15
	:: bus?1 -> heat = (heat + 1) % 6; goto mode21
	:: bus?2 -> lamp = 4; goto mode37
	:: bus?3 -> heat = 0; goto mode3
	:: bus?4 -> lamp = (lamp + 5) % 8; goto mode39
	:: bus?5 -> heat = (heat + 1) % 6; goto mode25
	:: bus?6 -> lamp = 0; goto mode21
	:: bus?7 -> heat = 2; goto mode27
	:: bus?8 -> lamp = (lamp + 4) % 8; goto mode43
	:: bus?9 -> heat = (heat + 1) % 6; goto mode9
	:: bus?10 -> lamp = 4; goto mode45
	:: bus?11 -> heat = 4; goto mode31
	:: bus?12 -> lamp = (lamp + 3) % 8; goto mode27
	:: bus?13 -> heat = (heat + 1) % 6; goto mode33
	:: bus?14 -> lamp = 0; goto mode49
	fi;
mode3:
	if
	:: bus?0 -> heat = (heat + 1) % 6; goto mode22
	:: bus?1 -> lamp = 4; goto mode28
	:: bus?2 -> heat = 0; goto mode44
	:: bus?3 -> lamp = (lamp + 4) % 8; goto mode10
	:: bus?4 -> heat = (heat + 1) % 6; goto mode46
	:: bus?5 -> lamp = 0; goto mode32
	:: bus?6 -> heat = 0; goto mode28
	:: bus?7 -> lamp = (lamp + 3) % 8; goto mode34
	:: bus?8 -> heat = (heat + 1) % 6; goto mode50
	:: bus?9 -> lamp = 4; goto mode16
	:: bus?10 -> heat = 0; goto mode52
	:: bus?11 -> lamp = (lamp + 2) % 8; goto mode38
	:: bus?12 -> heat = (heat + 1) % 6; goto mode34
	:: bus?13 -> lamp = 0; goto mode40
	:: bus?14 -> heat = 0; goto mode56
	fi;
mode4:
	if
	:: bus?0 -> lamp = 4; goto mode29
	:: bus?1 -> heat = 4; goto mode35
	:: bus?2 -> lamp = (lamp + 3) % 8; goto mode51
	:: bus?3 -> heat = (heat + 1) % 6; goto mode17
	:: bus?4 -> lamp = 0; goto mode53
	:: bus?5 -> heat = 2; goto mode39
	:: bus?6 -> lamp = (lamp + 2) % 8; goto mode35
	:: bus?7 -> heat = (heat + 1) % 6; goto mode41
	:: bus?8 -> lamp = 4; goto mode57
	:: bus?9 -> heat = 0; goto mode23
	:: bus?10 -> lamp = (lamp + 1) % 8; goto mode59
	:: bus?11 -> heat = (heat + 1) % 6; goto mode45
	:: bus?12 -> lamp = 0; goto mode41
	:: bus?13 -> heat = 4; goto mode47
	:: bus?14 -> lamp = (lamp + 5) % 8; goto mode3
	fi;
mode5:
	if
	:: bus?0 -> heat = 0; goto mode36
	:: bus?1 -> lamp = (lamp + 2) % 8; goto mode42
	:: bus?2 -> heat = (heat + 1) % 6; goto mode58
	:: bus?3 -> lamp = 0; goto mode24
	:: bus?4 -> heat = 2; goto mode0
	:: bus?5 -> lamp = (lamp + 1) % 8; goto mode46
	:: bus?6 -> heat = (heat + 1) % 6; goto mode42
	:: bus?7 -> lamp = 4; goto mode48
	:: bus?8 -> heat = 4; goto mode4
	:: bus?9 -> lamp = (lamp + 5) % 8; goto mode30
	:: bus?10 -> heat = (heat + 1) % 6; goto mode6
	:: bus?11 -> lamp = 0; goto mode52
	:: bus?12 -> heat = 0; goto mode48
	:: bus?13 -> lamp = (lamp + 4) % 8; goto mode54
	:: bus?14 -> heat = (heat + 1) % 6; goto mode10
	fi;
mode6:
	if
	:: bus?0 -> lamp = (lamp + 1) % 8; goto mode43
	:: bus?1 -> heat = (heat + 1) % 6; goto mode49
	:: bus?2 -> lamp = 0; goto mode5
	:: bus?3 -> heat = 0; goto mode31
	:: bus?4 -> lamp = (lamp + 5) % 8; goto mode7
	:: bus?5 -> heat = (heat + 1) % 6; goto mode53
	:: bus?6 -> lamp = 4; goto mode49
	:: bus?7 -> heat = 0; goto mode55
	:: bus?8 -> lamp = (lamp + 4) % 8; goto mode11
	:: bus?9 -> heat = (heat + 1) % 6; goto mode37
	:: bus?10 -> lamp = 0; goto mode13
	:: bus?11 -> heat = 0; goto mode59
	:: bus?12 -> lamp = (lamp + 3) % 8; goto mode55
	:: bus?13 -> heat = (heat + 1) % 6; goto mode1
	:: bus?14 -> lamp = 4; goto mode17
	fi;
mode7:
	if
	:: bus?0 -> heat = (heat + 1) % 6; goto mode50
	:: bus?1 -> lamp = 0; goto mode56
	:: bus?2 -> heat = 2; goto mode12
	:: bus?3 -> lamp = (lamp + 4) % 8; goto mode38
	:: bus?4 -> heat = (heat + 1) % 6; goto mode14
	:: bus?5 -> lamp = 4; goto mode0
	:: bus?6 -> heat = 0; goto mode56
	:: bus?7 -> lamp = (lamp + 3) % 8; goto mode2
	:: bus?8 -> heat = (heat + 1) % 6; goto mode18
	:: bus?9 -> lamp = 0; goto mode44
	:: bus?10 -> heat = 4; goto mode20
	:: bus?11 -> lamp = (lamp + 2) % 8; goto mode6
	:: bus?12 -> heat = (heat + 1) % 6; goto mode2
	:: bus?13 -> lamp = 4; goto mode8
	:: bus?14 -> heat = 2; goto mode24
	fi;
mode8:
	if
	:: bus?0 -> lamp = 0; goto mode57
	:: bus?1 -> heat = 2; goto mode3
	:: bus?2 -> lamp = (lamp + 3) % 8; goto mode19
	:: bus?3 -> heat = (heat + 1) % 6; goto mode45
	:: bus?4 -> lamp = 4; goto mode21
	:: bus?5 -> heat = 4; goto mode7
	:: bus?6 -> lamp = (lamp + 2) % 8; goto mode3
	:: bus?7 -> heat = (heat + 1) % 6; goto mode9
	:: bus?8 -> lamp = 0; goto mode25
	:: bus?9 -> heat = 0; goto mode51
	:: bus?10 -> lamp = (lamp + 1) % 8; goto mode27
	:: bus?11 -> heat = (heat + 1) % 6; goto mode13
	:: bus?12 -> lamp = 4; goto mode9
	:: bus?13 -> heat = 2; goto mode15
	:: bus?14 -> lamp = (lamp + 5) % 8; goto mode31
	fi;
mode9:
	if
	:: bus?0 -> heat = 0; goto mode4
	:: bus?1 -> lamp = (lamp + 2) % 8; goto mode10
	:: bus?2 -> heat = (heat + 1) % 6; goto mode26
	:: bus?3 -> lamp = 4; goto mode52
	:: bus?4 -> heat = 0; goto mode28
	:: bus?5 -> lamp = (lamp + 1) % 8; goto mode14
	:: bus?6 -> heat = (heat + 1) % 6; goto mode10
	:: bus?7 -> lamp = 0; goto mode16
	:: bus?8 -> heat = 0; goto mode32
	:: bus?9 -> lamp = (lamp + 5) % 8; goto mode58
	:: bus?10 -> heat = (heat + 1) % 6; goto mode34
	:: bus?11 -> lamp = 4; goto mode20
	:: bus?12 -> heat = 0; goto mode16
	:: bus?13 -> lamp = (lamp + 4) % 8; goto mode22
	:: bus?14 -> heat = (heat + 1) % 6; goto mode38
	fi;
mode10:
	if
	:: bus?0 -> lamp = (lamp + 1) % 8; goto mode11
	:: bus?1 -> heat = (heat + 1) % 6; goto mode17
	:: bus?2 -> lamp = 4; goto mode33
	:: bus?3 -> heat = 0; goto mode59
	:: bus?4 -> lamp = (lamp + 5) % 8; goto mode35
	:: bus?5 -> heat = (heat + 1) % 6; goto mode21
	:: bus?6 -> lamp = 0; goto mode17
	:: bus?7 -> heat = 4; goto mode23
	:: bus?8 -> lamp = (lamp + 4) % 8; goto mode39
	:: bus?9 -> heat = (heat + 1) % 6; goto mode5
	:: bus?10 -> lamp = 4; goto mode41
	:: bus?11 -> heat = 2; goto mode27
	:: bus?12 -> lamp = (lamp + 3) % 8; goto mode23
	:: bus?13 -> heat = (heat + 1) % 6; goto mode29
	:: bus?14 -> lamp = 0; goto mode45
	fi;
mode11:
	if
	:: bus?0 -> heat = (heat + 1) % 6; goto mode18
	:: bus?1 -> lamp = 4; goto mode24
	:: bus?2 -> heat = 4; goto mode40
	:: bus?3 -> lamp = (lamp + 4) % 8; goto mode6
	:: bus?4 -> heat = (heat + 1) % 6; goto mode42
	:: bus?5 -> lamp = 0; goto mode28
	:: bus?6 -> heat = 0; goto mode24
	:: bus?7 -> lamp = (lamp + 3) % 8; goto mode30
	:: bus?8 -> heat = (heat + 1) % 6; goto mode46
	:: bus?9 -> lamp = 4; goto mode12
	:: bus?10 -> heat = 2; goto mode48
	:: bus?11 -> lamp = (lamp + 2) % 8; goto mode34
	:: bus?12 -> heat = (heat + 1) % 6; goto mode30
	:: bus?13 -> lamp = 0; goto mode36
	:: bus?14 -> heat = 4; goto mode52
	fi;
mode12:
	if
	:: bus?0 -> lamp = 4; goto mode25
	:: bus?1 -> heat = 0; goto mode31
	:: bus?2 -> lamp = (lamp + 3) % 8; goto mode47
	:: bus?3 -> heat = (heat + 1) % 6; goto mode13
	:: bus?4 -> lamp = 0; goto mode49
	:: bus?5 -> heat = 0; goto mode35
	:: bus?6 -> lamp = (lamp + 2) % 8; goto mode31
	:: bus?7 -> heat = (heat + 1) % 6; goto mode37
	:: bus?8 -> lamp = 4; goto mode53
	:: bus?9 -> heat = 0; goto mode19
	:: bus?10 -> lamp = (lamp + 1) % 8; goto mode55
	:: bus?11 -> heat = (heat + 1) % 6; goto mode41
	:: bus?12 -> lamp = 0; goto mode37
	:: bus?13 -> heat = 0; goto mode43
	:: bus?14 -> lamp = (lamp + 5) % 8; goto mode59
	fi;
mode13:
	if
	:: bus?0 -> heat = 0; goto mode32
	:: bus?1 -> lamp = (lamp + 2) % 8; goto mode38
	:: bus?2 -> heat = (heat + 1) % 6; goto mode54
	:: bus?3 -> lamp = 0; goto mode20
	:: bus?4 -> heat = 4; goto mode56
	:: bus?5 -> lamp = (lamp + 1) % 8; goto mode42
	:: bus?6 -> heat = (heat + 1) % 6; goto mode38
	:: bus?7 -> lamp = 4; goto mode44
	:: bus?8 -> heat = 2; goto mode0
	:: bus?9 -> lamp = (lamp + 5) % 8; goto mode26
	:: bus?10 -> heat = (heat + 1) % 6; goto mode2
	:: bus?11 -> lamp = 0; goto mode48
	:: bus?12 -> heat = 0; goto mode44
	:: bus?13 -> lamp = (lamp + 4) % 8; goto mode50
	:: bus?14 -> heat = (heat + 1) % 6; goto mode6
	fi;
mode14:
	if
	:: bus?0 -> lamp = (lamp + 1) % 8; goto mode39
	:: bus?1 -> heat = (heat + 1) % 6; goto mode45
	:: bus?2 -> lamp = 0; goto mode1
	:: bus?3 -> heat = 0; goto mode27
	:: bus?4 -> lamp = (lamp + 5) % 8; goto mode3
	:: bus?5 -> heat = (heat + 1) % 6; goto mode49
	:: bus?6 -> lamp = 4; goto mode45
	:: bus?7 -> heat = 2; goto mode51
	:: bus?8 -> lamp = (lamp + 4) % 8; goto mode7
	:: bus?9 -> heat = (heat + 1) % 6; goto mode33
	:: bus?10 -> lamp = 0; goto mode9
	:: bus?11 -> heat = 4; goto mode55
	:: bus?12 -> lamp = (lamp + 3) % 8; goto mode51
	:: bus?13 -> heat = (heat + 1) % 6; goto mode57
	:: bus?14 -> lamp = 4; goto mode13
	fi;
mode15:
	if
	:: bus?0 -> heat = (heat + 1) % 6; goto mode46
	:: bus?1 -> lamp = 0; goto mode52
	:: bus?2 -> heat = 0; goto mode8
	:: bus?3 -> lamp = (lamp + 4) % 8; goto mode34
	:: bus?4 -> heat = (heat + 1) % 6; goto mode10
	:: bus?5 -> lamp = 4; goto mode56
	:: bus?6 -> heat = 0; goto mode52
	:: bus?7 -> lamp = (lamp + 3) % 8; goto mode58
	:: bus?8 -> heat = (heat + 1) % 6; goto mode14
	:: bus?9 -> lamp = 0; goto mode40
	:: bus?10 -> heat = 0; goto mode16
	:: bus?11 -> lamp = (lamp + 2) % 8; goto mode2
	:: bus?12 -> heat = (heat + 1) % 6; goto mode58
	:: bus?13 -> lamp = 4; goto mode4
	:: bus?14 -> heat = 0; goto mode20
	fi;
mode16:
	if
	:: bus?0 -> lamp = 0; goto mode53
	:: bus?1 -> heat = 4; goto mode59
	:: bus?2 -> lamp = (lamp + 3) % 8; goto mode15
	:: bus?3 -> heat = (heat + 1) % 6; goto mode41
	:: bus?4 -> lamp = 4; goto mode17
	:: bus?5 -> heat = 2; goto mode3
	:: bus?6 -> lamp = (lamp + 2) % 8; goto mode59
	:: bus?7 -> heat = (heat + 1) % 6; goto mode5
	:: bus?8 -> lamp = 0; goto mode21
	:: bus?9 -> heat = 0; goto mode47
	:: bus?10 -> lamp = (lamp + 1) % 8; goto mode23
	:: bus?11 -> heat = (heat + 1) % 6; goto mode9
	:: bus?12 -> lamp = 4; goto mode5
	:: bus?13 -> heat = 4; goto mode11
	:: bus?14 -> lamp = (lamp + 5) % 8; goto mode27
	fi;
mode17:
	if
	:: bus?0 -> heat = 0; goto mode0
	:: bus?1 -> lamp = (lamp + 2) % 8; goto mode6
	:: bus?2 -> heat = (heat + 1) % 6; goto mode22
	:: bus?3 -> lamp = 4; goto mode48
	:: bus?4 -> heat = 2; goto mode24
	:: bus?5 -> lamp = (lamp + 1) % 8; goto mode10
	:: bus?6 -> heat = (heat + 1) % 6; goto mode6
	:: bus?7 -> lamp = 0; goto mode12
	:: bus?8 -> heat = 4; goto mode28
	:: bus?9 -> lamp = (lamp + 5) % 8; goto mode54
	:: bus?10 -> heat = (heat + 1) % 6; goto mode30
	:: bus?11 -> lamp = 4; goto mode16
	:: bus?12 -> heat = 0; goto mode12
	:: bus?13 -> lamp = (lamp + 4) % 8; goto mode18
	:: bus?14 -> heat = (heat + 1) % 6; goto mode34
	fi;
mode18:
	if
	:: bus?0 -> lamp = (lamp + 1) % 8; goto mode7
	:: bus?1 -> heat = (heat + 1) % 6; goto mode13
	:: bus?2 -> lamp = 4; goto mode29
	:: bus?3 -> heat = 0; goto mode55
	:: bus?4 -> lamp = (lamp + 5) % 8; goto mode31
	:: bus?5 -> heat = (heat + 1) % 6; goto mode17
	:: bus?6 -> lamp = 0; goto mode13
	:: bus?7 -> heat = 0; goto mode19
	:: bus?8 -> lamp = (lamp + 4) % 8; goto mode35
	:: bus?9 -> heat = (heat + 1) % 6; goto mode1
	:: bus?10 -> lamp = 4; goto mode37
	:: bus?11 -> heat = 0; goto mode23
	:: bus?12 -> lamp = (lamp + 3) % 8; goto mode19
	:: bus?13 -> heat = (heat + 1) % 6; goto mode25
	:: bus?14 -> lamp = 0; goto mode41
	fi;
mode19:
	if
	:: bus?0 -> heat = (heat + 1) % 6; goto mode14
	:: bus?1 -> lamp = 4; goto mode20
	:: bus?2 -> heat = 2; goto mode36
	:: bus?3 -> lamp = (lamp + 4) % 8; goto mode2
	:: bus?4 -> heat = (heat + 1) % 6; goto mode38
	:: bus?5 -> lamp = 0; goto mode24
	:: bus?6 -> heat = 0; goto mode20
	:: bus?7 -> lamp = (lamp + 3) % 8; goto mode26
	:: bus?8 -> heat = (heat + 1) % 6; goto mode42
	:: bus?9 -> lamp = 4; goto mode8
	:: bus?10 -> heat = 4; goto mode44
	:: bus?11 -> lamp = (lamp + 2) % 8; goto mode30
	:: bus?12 -> heat = (heat + 1) % 6; goto mode26
	:: bus?13 -> lamp = 0; goto mode32
	:: bus?14 -> heat = 2; goto mode48
	fi;
mode20:
	if
	:: bus?0 -> lamp = 4; goto mode21
	:: bus?1 -> heat = 2; goto mode27
	:: bus?2 -> lamp = (lamp + 3) % 8; goto mode43
	:: bus?3 -> heat = (heat + 1) % 6; goto mode9
	:: bus?4 -> lamp = 0; goto mode45
	:: bus?5 -> heat = 4; goto mode31
	:: bus?6 -> lamp = (lamp + 2) % 8; goto mode27
	:: bus?7 -> heat = (heat + 1) % 6; goto mode33
	:: bus?8 -> lamp = 4; goto mode49
	:: bus?9 -> heat = 0; goto mode15
	:: bus?10 -> lamp = (lamp + 1) % 8; goto mode51
	:: bus?11 -> heat = (heat + 1) % 6; goto mode37
	:: bus?12 -> lamp = 0; goto mode33
	:: bus?13 -> heat = 2; goto mode39
	:: bus?14 -> lamp = (lamp + 5) % 8; goto mode55
	fi;
mode21:
	if
	:: bus?0 -> heat = 0; goto mode28
	:: bus?1 -> lamp = (lamp + 2) % 8; goto mode34
	:: bus?2 -> heat = (heat + 1) % 6; goto mode50
	:: bus?3 -> lamp = 0; goto mode16
	:: bus?4 -> heat = 0; goto mode52
	:: bus?5 -> lamp = (lamp + 1) % 8; goto mode38
	:: bus?6 -> heat = (heat + 1) % 6; goto mode34
	:: bus?7 -> lamp = 4; goto mode40
	:: bus?8 -> heat = 0; goto mode56
	:: bus?9 -> lamp = (lamp + 5) % 8; goto mode22
	:: bus?10 -> heat = (heat + 1) % 6; goto mode58
	:: bus?11 -> lamp = 0; goto mode44
	:: bus?12 -> heat = 0; goto mode40
	:: bus?13 -> lamp = (lamp + 4) % 8; goto mode46
	:: bus?14 -> heat = (heat + 1) % 6; goto mode2
	fi;
mode22:
	if
	:: bus?0 -> lamp = (lamp + 1) % 8; goto mode35
	:: bus?1 -> heat = (heat + 1) % 6; goto mode41
	:: bus?2 -> lamp = 0; goto mode57
	:: bus?3 -> heat = 0; goto mode23
	:: bus?4 -> lamp = (lamp + 5) % 8; goto mode59
	:: bus?5 -> heat = (heat + 1) % 6; goto mode45
	:: bus?6 -> lamp = 4; goto mode41
	:: bus?7 -> heat = 4; goto mode47
	:: bus?8 -> lamp = (lamp + 4) % 8; goto mode3
	:: bus?9 -> heat = (heat + 1) % 6; goto mode29
	:: bus?10 -> lamp = 0; goto mode5
	:: bus?11 -> heat = 2; goto mode51
	:: bus?12 -> lamp = (lamp + 3) % 8; goto mode47
	:: bus?13 -> heat = (heat + 1) % 6; goto mode53
	:: bus?14 -> lamp = 4; goto mode9
	fi;
mode23:
	if
	:: bus?0 -> heat = (heat + 1) % 6; goto mode42
	:: bus?1 -> lamp = 0; goto mode48
	:: bus?2 -> heat = 4; goto mode4
	:: bus?3 -> lamp = (lamp + 4) % 8; goto mode30
	:: bus?4 -> heat = (heat + 1) % 6; goto mode6
	:: bus?5 -> lamp = 4; goto mode52
	:: bus?6 -> heat = 0; goto mode48
	:: bus?7 -> lamp = (lamp + 3) % 8; goto mode54
	:: bus?8 -> heat = (heat + 1) % 6; goto mode10
	:: bus?9 -> lamp = 0; goto mode36
	:: bus?10 -> heat = 2; goto mode12
	:: bus?11 -> lamp = (lamp + 2) % 8; goto mode58
	:: bus?12 -> heat = (heat + 1) % 6; goto mode54
	:: bus?13 -> lamp = 4; goto mode0
	:: bus?14 -> heat = 4; goto mode16
	fi;
mode24:
	if
	:: bus?0 -> lamp = 0; goto mode49
	:: bus?1 -> heat = 0; goto mode55
	:: bus?2 -> lamp = (lamp + 3) % 8; goto mode11
	:: bus?3 -> heat = (heat + 1) % 6; goto mode37
	:: bus?4 -> lamp = 4; goto mode13
	:: bus?5 -> heat = 0; goto mode59
	:: bus?6 -> lamp = (lamp + 2) % 8; goto mode55
	:: bus?7 -> heat = (heat + 1) % 6; goto mode1
	:: bus?8 -> lamp = 0; goto mode17
	:: bus?9 -> heat = 0; goto mode43
	:: bus?10 -> lamp = (lamp + 1) % 8; goto mode19
	:: bus?11 -> heat = (heat + 1) % 6; goto mode5
	:: bus?12 -> lamp = 4; goto mode1
	:: bus?13 -> heat = 0; goto mode7
	:: bus?14 -> lamp = (lamp + 5) % 8; goto mode23
	fi;
mode25:
	if
	:: bus?0 -> heat = 0; goto mode56
	:: bus?1 -> lamp = (lamp + 2) % 8; goto mode2
	:: bus?2 -> heat = (heat + 1) % 6; goto mode18
	:: bus?3 -> lamp = 4; goto mode44
	:: bus?4 -> heat = 4; goto mode20
	:: bus?5 -> lamp = (lamp + 1) % 8; goto mode6
	:: bus?6 -> heat = (heat + 1) % 6; goto mode2
	:: bus?7 -> lamp = 0; goto mode8
	:: bus?8 -> heat = 2; goto mode24
	:: bus?9 -> lamp = (lamp + 5) % 8; goto mode50
	:: bus?10 -> heat = (heat + 1) % 6; goto mode26
	:: bus?11 -> lamp = 4; goto mode12
	:: bus?12 -> heat = 0; goto mode8
	:: bus?13 -> lamp = (lamp + 4) % 8; goto mode14
	:: bus?14 -> heat = (heat + 1) % 6; goto mode30
	fi;
mode26:
	if
	:: bus?0 -> lamp = (lamp + 1) % 8; goto mode3
	:: bus?1 -> heat = (heat + 1) % 6; goto mode9
	:: bus?2 -> lamp = 4; goto mode25
	:: bus?3 -> heat = 0; goto mode51
	:: bus?4 -> lamp = (lamp + 5) % 8; goto mode27
	:: bus?5 -> heat = (heat + 1) % 6; goto mode13
	:: bus?6 -> lamp = 0; goto mode9
	:: bus?7 -> heat = 2; goto mode15
	:: bus?8 -> lamp = (lamp + 4) % 8; goto mode31
	:: bus?9 -> heat = (heat + 1) % 6; goto mode57
	:: bus?10 -> lamp = 4; goto mode33
	:: bus?11 -> heat = 4; goto mode19
	:: bus?12 -> lamp = (lamp + 3) % 8; goto mode15
	:: bus?13 -> heat = (heat + 1) % 6; goto mode21
	:: bus?14 -> lamp = 0; goto mode37
	fi;
mode27:
	if
	:: bus?0 -> heat = (heat + 1) % 6; goto mode10
	:: bus?1 -> lamp = 4; goto mode16
	:: bus?2 -> heat = 0; goto mode32
	:: bus?3 -> lamp = (lamp + 4) % 8; goto mode58
	:: bus?4 -> heat = (heat + 1) % 6; goto mode34
	:: bus?5 -> lamp = 0; goto mode20
	:: bus?6 -> heat = 0; goto mode16
	:: bus?7 -> lamp = (lamp + 3) % 8; goto mode22
	:: bus?8 -> heat = (heat + 1) % 6; goto mode38
	:: bus?9 -> lamp = 4; goto mode4
	:: bus?10 -> heat = 0; goto mode40
	:: bus?11 -> lamp = (lamp + 2) % 8; goto mode26
	:: bus?12 -> heat = (heat + 1) % 6; goto mode22
	:: bus?13 -> lamp = 0; goto mode28
	:: bus?14 -> heat = 0; goto mode44
	fi;
mode28:
	if
	:: bus?0 -> lamp = 4; goto mode17
	:: bus?1 -> heat = 4; goto mode23
	:: bus?2 -> lamp = (lamp + 3) % 8; goto mode39
	:: bus?3 -> heat = (heat + 1) % 6; goto mode5
	:: bus?4 -> lamp = 0; goto mode41
	:: bus?5 -> heat = 2; goto mode27
	:: bus?6 -> lamp = (lamp + 2) % 8; goto mode23
	:: bus?7 -> heat = (heat + 1) % 6; goto mode29
	:: bus?8 -> lamp = 4; goto mode45
	:: bus?9 -> heat = 0; goto mode11
	:: bus?10 -> lamp = (lamp + 1) % 8; goto mode47
	:: bus?11 -> heat = (heat + 1) % 6; goto mode33
	:: bus?12 -> lamp = 0; goto mode29
	:: bus?13 -> heat = 4; goto mode35
	:: bus?14 -> lamp = (lamp + 5) % 8; goto mode51
	fi;
mode29:
	if
	:: bus?0 -> heat = 0; goto mode24
	:: bus?1 -> lamp = (lamp + 2) % 8; goto mode30
	:: bus?2 -> heat = (heat + 1) % 6; goto mode46
	:: bus?3 -> lamp = 0; goto mode12
	:: bus?4 -> heat = 2; goto mode48
	:: bus?5 -> lamp = (lamp + 1) % 8; goto mode34
	:: bus?6 -> heat = (heat + 1) % 6; goto mode30
	:: bus?7 -> lamp = 4; goto mode36
	:: bus?8 -> heat = 4; goto mode52
	:: bus?9 -> lamp = (lamp + 5) % 8; goto mode18
	:: bus?10 -> heat = (heat + 1) % 6; goto mode54
	:: bus?11 -> lamp = 0; goto mode40
	:: bus?12 -> heat = 0; goto mode36
	:: bus?13 -> lamp = (lamp + 4) % 8; goto mode42
	:: bus?14 -> heat = (heat + 1) % 6; goto mode58
	fi;
mode30:
	if
	:: bus?0 -> lamp = (lamp + 1) % 8; goto mode31
	:: bus?1 -> heat = (heat + 1) % 6; goto mode37
	:: bus?2 -> lamp = 0; goto mode53
	:: bus?3 -> heat = 0; goto mode19
	:: bus?4 -> lamp = (lamp + 5) % 8; goto mode55
	:: bus?5 -> heat = (heat + 1) % 6; goto mode41
	:: bus?6 -> lamp = 4; goto mode37
	:: bus?7 -> heat = 0; goto mode43
	:: bus?8 -> lamp = (lamp + 4) % 8; goto mode59
	:: bus?9 -> heat = (heat + 1) % 6; goto mode25
	:: bus?10 -> lamp = 0; goto mode1
	:: bus?11 -> heat = 0; goto mode47
	:: bus?12 -> lamp = (lamp + 3) % 8; goto mode43
	:: bus?13 -> heat = (heat + 1) % 6; goto mode49
	:: bus?14 -> lamp = 4; goto mode5
	fi;
mode31:
	if
	:: bus?0 -> heat = (heat + 1) % 6; goto mode38
	:: bus?1 -> lamp = 0; goto mode44
	:: bus?2 -> heat = 2; goto mode0
	:: bus?3 -> lamp = (lamp + 4) % 8; goto mode26
	:: bus?4 -> heat = (heat + 1) % 6; goto mode2
	:: bus?5 -> lamp = 4; goto mode48
	:: bus?6 -> heat = 0; goto mode44
	:: bus?7 -> lamp = (lamp + 3) % 8; goto mode50
	:: bus?8 -> heat = (heat + 1) % 6; goto mode6
	:: bus?9 -> lamp = 0; goto mode32
	:: bus?10 -> heat = 4; goto mode8
	:: bus?11 -> lamp = (lamp + 2) % 8; goto mode54
	:: bus?12 -> heat = (heat + 1) % 6; goto mode50
	:: bus?13 -> lamp = 4; goto mode56
	:: bus?14 -> heat = 2; goto mode12
	fi;
mode32:
	if
	:: bus?0 -> lamp = 0; goto mode45
	:: bus?1 -> heat = 2; goto mode51
	:: bus?2 -> lamp = (lamp + 3) % 8; goto mode7
	:: bus?3 -> heat = (heat + 1) % 6; goto mode33
	:: bus?4 -> lamp = 4; goto mode9
	:: bus?5 -> heat = 4; goto mode55
	:: bus?6 -> lamp = (lamp + 2) % 8; goto mode51
	:: bus?7 -> heat = (heat + 1) % 6; goto mode57
	:: bus?8 -> lamp = 0; goto mode13
	:: bus?9 -> heat = 0; goto mode39
	:: bus?10 -> lamp = (lamp + 1) % 8; goto mode15
	:: bus?11 -> heat = (heat + 1) % 6; goto mode1
	:: bus?12 -> lamp = 4; goto mode57
	:: bus?13 -> heat = 2; goto mode3
	:: bus?14 -> lamp = (lamp + 5) % 8; goto mode19
	fi;
mode33:
	if
	:: bus?0 -> heat = 0; goto mode52
	:: bus?1 -> lamp = (lamp + 2) % 8; goto mode58
	:: bus?2 -> heat = (heat + 1) % 6; goto mode14
	:: bus?3 -> lamp = 4; goto mode40
	:: bus?4 -> heat = 0; goto mode16
	:: bus?5 -> lamp = (lamp + 1) % 8; goto mode2
	:: bus?6 -> heat = (heat + 1) % 6; goto mode58
	:: bus?7 -> lamp = 0; goto mode4
	:: bus?8 -> heat = 0; goto mode20
	:: bus?9 -> lamp = (lamp + 5) % 8; goto mode46
	:: bus?10 -> heat = (heat + 1) % 6; goto mode22
	:: bus?11 -> lamp = 4; goto mode8
	:: bus?12 -> heat = 0; goto mode4
	:: bus?13 -> lamp = (lamp + 4) % 8; goto mode10
	:: bus?14 -> heat = (heat + 1) % 6; goto mode26
	fi;
mode34:
	if
	:: bus?0 -> lamp = (lamp + 1) % 8; goto mode59
	:: bus?1 -> heat = (heat + 1) % 6; goto mode5
	:: bus?2 -> lamp = 4; goto mode21
	:: bus?3 -> heat = 0; goto mode47
	:: bus?4 -> lamp = (lamp + 5) % 8; goto mode23
	:: bus?5 -> heat = (heat + 1) % 6; goto mode9
	:: bus?6 -> lamp = 0; goto mode5
	:: bus?7 -> heat = 4; goto mode11
	:: bus?8 -> lamp = (lamp + 4) % 8; goto mode27
	:: bus?9 -> heat = (heat + 1) % 6; goto mode53
	:: bus?10 -> lamp = 4; goto mode29
	:: bus?11 -> heat = 2; goto mode15
	:: bus?12 -> lamp = (lamp + 3) % 8; goto mode11
	:: bus?13 -> heat = (heat + 1) % 6; goto mode17
	:: bus?14 -> lamp = 0; goto mode33
	fi;
mode35:
	if
	:: bus?0 -> heat = (heat + 1) % 6; goto mode6
	:: bus?1 -> lamp = 4; goto mode12
	:: bus?2 -> heat = 4; goto mode28
	:: bus?3 -> lamp = (lamp + 4) % 8; goto mode54
	:: bus?4 -> heat = (heat + 1) % 6; goto mode30
	:: bus?5 -> lamp = 0; goto mode16
	:: bus?6 -> heat = 0; goto mode12
	:: bus?7 -> lamp = (lamp + 3) % 8; goto mode18
	:: bus?8 -> heat = (heat + 1) % 6; goto mode34
	:: bus?9 -> lamp = 4; goto mode0
	:: bus?10 -> heat = 2; goto mode36
	:: bus?11 -> lamp = (lamp + 2) % 8; goto mode22
	:: bus?12 -> heat = (heat + 1) % 6; goto mode18
	:: bus?13 -> lamp = 0; goto mode24
	:: bus?14 -> heat = 4; goto mode40
	fi;
mode36:
	if
	:: bus?0 -> lamp = 4; goto mode13
	:: bus?1 -> heat = 0; goto mode19
	:: bus?2 -> lamp = (lamp + 3) % 8; goto mode35
	:: bus?3 -> heat = (heat + 1) % 6; goto mode1
	:: bus?4 -> lamp = 0; goto mode37
	:: bus?5 -> heat = 0; goto mode23
	:: bus?6 -> lamp = (lamp + 2) % 8; goto mode19
	:: bus?7 -> heat = (heat + 1) % 6; goto mode25
	:: bus?8 -> lamp = 4; goto mode41
	:: bus?9 -> heat = 0; goto mode7
	:: bus?10 -> lamp = (lamp + 1) % 8; goto mode43
	:: bus?11 -> heat = (heat + 1) % 6; goto mode29
	:: bus?12 -> lamp = 0; goto mode25
	:: bus?13 -> heat = 0; goto mode31
	:: bus?14 -> lamp = (lamp + 5) % 8; goto mode47
	fi;
mode37:
	if
	:: bus?0 -> heat = 0; goto mode20
	:: bus?1 -> lamp = (lamp + 2) % 8; goto mode26
	:: bus?2 -> heat = (heat + 1) % 6; goto mode42
	:: bus?3 -> lamp = 0; goto mode8
	:: bus?4 -> heat = 4; goto mode44
	:: bus?5 -> lamp = (lamp + 1) % 8; goto mode30
	:: bus?6 -> heat = (heat + 1) % 6; goto mode26
	:: bus?7 -> lamp = 4; goto mode32
	:: bus?8 -> heat = 2; goto mode48
	:: bus?9 -> lamp = (lamp + 5) % 8; goto mode14
	:: bus?10 -> heat = (heat + 1) % 6; goto mode50
	:: bus?11 -> lamp = 0; goto mode36
	:: bus?12 -> heat = 0; goto mode32
	:: bus?13 -> lamp = (lamp + 4) % 8; goto mode38
	:: bus?14 -> heat = (heat + 1) % 6; goto mode54
	fi;
mode38:
	if
	:: bus?0 -> lamp = (lamp + 1) % 8; goto mode27
	:: bus?1 -> heat = (heat + 1) % 6; goto mode33
	:: bus?2 -> lamp = 0; goto mode49
	:: bus?3 -> heat = 0; goto mode15
	:: bus?4 -> lamp = (lamp + 5) % 8; goto mode51
	:: bus?5 -> heat = (heat + 1) % 6; goto mode37
	:: bus?6 -> lamp = 4; goto mode33
	:: bus?7 -> heat = 2; goto mode39
	:: bus?8 -> lamp = (lamp + 4) % 8; goto mode55
	:: bus?9 -> heat = (heat + 1) % 6; goto mode21
	:: bus?10 -> lamp = 0; goto mode57
	:: bus?11 -> heat = 4; goto mode43
	:: bus?12 -> lamp = (lamp + 3) % 8; goto mode39
	:: bus?13 -> heat = (heat + 1) % 6; goto mode45
	:: bus?14 -> lamp = 4; goto mode1
	fi;
mode39:
	if
	:: bus?0 -> heat = (heat + 1) % 6; goto mode34
	:: bus?1 -> lamp = 0; goto mode40
	:: bus?2 -> heat = 0; goto mode56
	:: bus?3 -> lamp = (lamp + 4) % 8; goto mode22
	:: bus?4 -> heat = (heat + 1) % 6; goto mode58
	:: bus?5 -> lamp = 4; goto mode44
	:: bus?6 -> heat = 0; goto mode40
	:: bus?7 -> lamp = (lamp + 3) % 8; goto mode46
	:: bus?8 -> heat = (heat + 1) % 6; goto mode2
	:: bus?9 -> lamp = 0; goto mode28
	:: bus?10 -> heat = 0; goto mode4
	:: bus?11 -> lamp = (lamp + 2) % 8; goto mode50
	:: bus?12 -> heat = (heat + 1) % 6; goto mode46
	:: bus?13 -> lamp = 4; goto mode52
	:: bus?14 -> heat = 0; goto mode8
	fi;
mode40:
	if
	:: bus?0 -> lamp = 0; goto mode41
	:: bus?1 -> heat = 4; goto mode47
	:: bus?2 -> lamp = (lamp + 3) % 8; goto mode3
	:: bus?3 -> heat = (heat + 1) % 6; goto mode29
	:: bus?4 -> lamp = 4; goto mode5
	:: bus?5 -> heat = 2; goto mode51
	:: bus?6 -> lamp = (lamp + 2) % 8; goto mode47
	:: bus?7 -> heat = (heat + 1) % 6; goto mode53
	:: bus?8 -> lamp = 0; goto mode9
	:: bus?9 -> heat = 0; goto mode35
	:: bus?10 -> lamp = (lamp + 1) % 8; goto mode11
	:: bus?11 -> heat = (heat + 1) % 6; goto mode57
	:: bus?12 -> lamp = 4; goto mode53
	:: bus?13 -> heat = 4; goto mode59
	:: bus?14 -> lamp = (lamp + 5) % 8; goto mode15
	fi;
mode41:
	if
	:: bus?0 -> heat = 0; goto mode48
	:: bus?1 -> lamp = (lamp + 2) % 8; goto mode54
	:: bus?2 -> heat = (heat + 1) % 6; goto mode10
	:: bus?3 -> lamp = 4; goto mode36
	:: bus?4 -> heat = 2; goto mode12
	:: bus?5 -> lamp = (lamp + 1) % 8; goto mode58
	:: bus?6 -> heat = (heat + 1) % 6; goto mode54
	:: bus?7 -> lamp = 0; goto mode0
	:: bus?8 -> heat = 4; goto mode16
	:: bus?9 -> lamp = (lamp + 5) % 8; goto mode42
	:: bus?10 -> heat = (heat + 1) % 6; goto mode18
	:: bus?11 -> lamp = 4; goto mode4
	:: bus?12 -> heat = 0; goto mode0
	:: bus?13 -> lamp = (lamp + 4) % 8; goto mode6
	:: bus?14 -> heat = (heat + 1) % 6; goto mode22
	fi;
mode42:
	if
	:: bus?0 -> lamp = (lamp + 1) % 8; goto mode55
	:: bus?1 -> heat = (heat + 1) % 6; goto mode1
	:: bus?2 -> lamp = 4; goto mode17
	:: bus?3 -> heat = 0; goto mode43
	:: bus?4 -> lamp = (lamp + 5) % 8; goto mode19
	:: bus?5 -> heat = (heat + 1) % 6; goto mode5
	:: bus?6 -> lamp = 0; goto mode1
	:: bus?7 -> heat = 0; goto mode7
	:: bus?8 -> lamp = (lamp + 4) % 8; goto mode23
	:: bus?9 -> heat = (heat + 1) % 6; goto mode49
	:: bus?10 -> lamp = 4; goto mode25
	:: bus?11 -> heat = 0; goto mode11
	:: bus?12 -> lamp = (lamp + 3) % 8; goto mode7
	:: bus?13 -> heat = (heat + 1) % 6; goto mode13
	:: bus?14 -> lamp = 0; goto mode29
	fi;
mode43:
	if
	:: bus?0 -> heat = (heat + 1) % 6; goto mode2
	:: bus?1 -> lamp = 4; goto mode8
	:: bus?2 -> heat = 2; goto mode24
	:: bus?3 -> lamp = (lamp + 4) % 8; goto mode50
	:: bus?4 -> heat = (heat + 1) % 6; goto mode26
	:: bus?5 -> lamp = 0; goto mode12
	:: bus?6 -> heat = 0; goto mode8
	:: bus?7 -> lamp = (lamp + 3) % 8; goto mode14
	:: bus?8 -> heat = (heat + 1) % 6; goto mode30
	:: bus?9 -> lamp = 4; goto mode56
	:: bus?10 -> heat = 4; goto mode32
	:: bus?11 -> lamp = (lamp + 2) % 8; goto mode18
	:: bus?12 -> heat = (heat + 1) % 6; goto mode14
	:: bus?13 -> lamp = 0; goto mode20
	:: bus?14 -> heat = 2; goto mode36
	fi;
mode44:
	if
	:: bus?0 -> lamp = 4; goto mode9
	:: bus?1 -> heat = 2; goto mode15
	:: bus?2 -> lamp = (lamp + 3) % 8; goto mode31
	:: bus?3 -> heat = (heat + 1) % 6; goto mode57
	:: bus?4 -> lamp = 0; goto mode33
	:: bus?5 -> heat = 4; goto mode19
	:: bus?6 -> lamp = (lamp + 2) % 8; goto mode15
	:: bus?7 -> heat = (heat + 1) % 6; goto mode21
	:: bus?8 -> lamp = 4; goto mode37
	:: bus?9 -> heat = 0; goto mode3
	:: bus?10 -> lamp = (lamp + 1) % 8; goto mode39
	:: bus?11 -> heat = (heat + 1) % 6; goto mode25
	:: bus?12 -> lamp = 0; goto mode21
	:: bus?13 -> heat = 2; goto mode27
	:: bus?14 -> lamp = (lamp + 5) % 8; goto mode43
	fi;
mode45:
	if
	:: bus?0 -> heat = 0; goto mode16
	:: bus?1 -> lamp = (lamp + 2) % 8; goto mode22
	:: bus?2 -> heat = (heat + 1) % 6; goto mode38
	:: bus?3 -> lamp = 0; goto mode4
	:: bus?4 -> heat = 0; goto mode40
	:: bus?5 -> lamp = (lamp + 1) % 8; goto mode26
	:: bus?6 -> heat = (heat + 1) % 6; goto mode22
	:: bus?7 -> lamp = 4; goto mode28
	:: bus?8 -> heat = 0; goto mode44
	:: bus?9 -> lamp = (lamp + 5) % 8; goto mode10
	:: bus?10 -> heat = (heat + 1) % 6; goto mode46
	:: bus?11 -> lamp = 0; goto mode32
	:: bus?12 -> heat = 0; goto mode28
	:: bus?13 -> lamp = (lamp + 4) % 8; goto mode34
	:: bus?14 -> heat = (heat + 1) % 6; goto mode50
	fi;
mode46:
	if
	:: bus?0 -> lamp = (lamp + 1) % 8; goto mode23
	:: bus?1 -> heat = (heat + 1) % 6; goto mode29
	:: bus?2 -> lamp = 0; goto mode45
	:: bus?3 -> heat = 0; goto mode11
	:: bus?4 -> lamp = (lamp + 5) % 8; goto mode47
	:: bus?5 -> heat = (heat + 1) % 6; goto mode33
	:: bus?6 -> lamp = 4; goto mode29
	:: bus?7 -> heat = 4; goto mode35
	:: bus?8 -> lamp = (lamp + 4) % 8; goto mode51
	:: bus?9 -> heat = (heat + 1) % 6; goto mode17
	:: bus?10 -> lamp = 0; goto mode53
	:: bus?11 -> heat = 2; goto mode39
	:: bus?12 -> lamp = (lamp + 3) % 8; goto mode35
	:: bus?13 -> heat = (heat + 1) % 6; goto mode41
	:: bus?14 -> lamp = 4; goto mode57
	fi;
mode47:
	if
	:: bus?0 -> heat = (heat + 1) % 6; goto mode30
	:: bus?1 -> lamp = 0; goto mode36
	:: bus?2 -> heat = 4; goto mode52
	:: bus?3 -> lamp = (lamp + 4) % 8; goto mode18
	:: bus?4 -> heat = (heat + 1) % 6; goto mode54
	:: bus?5 -> lamp = 4; goto mode40
	:: bus?6 -> heat = 0; goto mode36
	:: bus?7 -> lamp = (lamp + 3) % 8; goto mode42
	:: bus?8 -> heat = (heat + 1) % 6; goto mode58
	:: bus?9 -> lamp = 0; goto mode24
	:: bus?10 -> heat = 2; goto mode0
	:: bus?11 -> lamp = (lamp + 2) % 8; goto mode46
	:: bus?12 -> heat = (heat + 1) % 6; goto mode42
	:: bus?13 -> lamp = 4; goto mode48
	:: bus?14 -> heat = 4; goto mode4
	fi;
mode48:
	if
	:: bus?0 -> lamp = 0; goto mode37
	:: bus?1 -> heat = 0; goto mode43
	:: bus?2 -> lamp = (lamp + 3) % 8; goto mode59
	:: bus?3 -> heat = (heat + 1) % 6; goto mode25
	:: bus?4 -> lamp = 4; goto mode1
	:: bus?5 -> heat = 0; goto mode47
	:: bus?6 -> lamp = (lamp + 2) % 8; goto mode43
	:: bus?7 -> heat = (heat + 1) % 6; goto mode49
	:: bus?8 -> lamp = 0; goto mode5
	:: bus?9 -> heat = 0; goto mode31
	:: bus?10 -> lamp = (lamp + 1) % 8; goto mode7
	:: bus?11 -> heat = (heat + 1) % 6; goto mode53
	:: bus?12 -> lamp = 4; goto mode49
	:: bus?13 -> heat = 0; goto mode55
	:: bus?14 -> lamp = (lamp + 5) % 8; goto mode11
	fi;
mode49:
	if
	:: bus?0 -> heat = 0; goto mode44
	:: bus?1 -> lamp = (lamp + 2) % 8; goto mode50
	:: bus?2 -> heat = (heat + 1) % 6; goto mode6
	:: bus?3 -> lamp = 4; goto mode32
	:: bus?4 -> heat = 4; goto mode8
	:: bus?5 -> lamp = (lamp + 1) % 8; goto mode54
	:: bus?6 -> heat = (heat + 1) % 6; goto mode50
	:: bus?7 -> lamp = 0; goto mode56
	:: bus?8 -> heat = 2; goto mode12
	:: bus?9 -> lamp = (lamp + 5) % 8; goto mode38
	:: bus?10 -> heat = (heat + 1) % 6; goto mode14
	:: bus?11 -> lamp = 4; goto mode0
	:: bus?12 -> heat = 0; goto mode56
	:: bus?13 -> lamp = (lamp + 4) % 8; goto mode2
	:: bus?14 -> heat = (heat + 1) % 6; goto mode18
	fi;
mode50:
	if
	:: bus?0 -> lamp = (lamp + 1) % 8; goto mode51
	:: bus?1 -> heat = (heat + 1) % 6; goto mode57
	:: bus?2 -> lamp = 4; goto mode13
	:: bus?3 -> heat = 0; goto mode39
	:: bus?4 -> lamp = (lamp + 5) % 8; goto mode15
	:: bus?5 -> heat = (heat + 1) % 6; goto mode1
	:: bus?6 -> lamp = 0; goto mode57
	:: bus?7 -> heat = 2; goto mode3
	:: bus?8 -> lamp = (lamp + 4) % 8; goto mode19
	:: bus?9 -> heat = (heat + 1) % 6; goto mode45
	:: bus?10 -> lamp = 4; goto mode21
	:: bus?11 -> heat = 4; goto mode7
	:: bus?12 -> lamp = (lamp + 3) % 8; goto mode3
	:: bus?13 -> heat = (heat + 1) % 6; goto mode9
	:: bus?14 -> lamp = 0; goto mode25
	fi;
mode51:
	if
	:: bus?0 -> heat = (heat + 1) % 6; goto mode58
	:: bus?1 -> lamp = 4; goto mode4
	:: bus?2 -> heat = 0; goto mode20
	:: bus?3 -> lamp = (lamp + 4) % 8; goto mode46
	:: bus?4 -> heat = (heat + 1) % 6; goto mode22
	:: bus?5 -> lamp = 0; goto mode8
	:: bus?6 -> heat = 0; goto mode4
	:: bus?7 -> lamp = (lamp + 3) % 8; goto mode10
	:: bus?8 -> heat = (heat + 1) % 6; goto mode26
	:: bus?9 -> lamp = 4; goto mode52
	:: bus?10 -> heat = 0; goto mode28
	:: bus?11 -> lamp = (lamp + 2) % 8; goto mode14
	:: bus?12 -> heat = (heat + 1) % 6; goto mode10
	:: bus?13 -> lamp = 0; goto mode16
	:: bus?14 -> heat = 0; goto mode32
	fi;
mode52:
	if
	:: bus?0 -> lamp = 4; goto mode5
	:: bus?1 -> heat = 4; goto mode11
	:: bus?2 -> lamp = (lamp + 3) % 8; goto mode27
	:: bus?3 -> heat = (heat + 1) % 6; goto mode53
	:: bus?4 -> lamp = 0; goto mode29
	:: bus?5 -> heat = 2; goto mode15
	:: bus?6 -> lamp = (lamp + 2) % 8; goto mode11
	:: bus?7 -> heat = (heat + 1) % 6; goto mode17
	:: bus?8 -> lamp = 4; goto mode33
	:: bus?9 -> heat = 0; goto mode59
	:: bus?10 -> lamp = (lamp + 1) % 8; goto mode35
	:: bus?11 -> heat = (heat + 1) % 6; goto mode21
	:: bus?12 -> lamp = 0; goto mode17
	:: bus?13 -> heat = 4; goto mode23
	:: bus?14 -> lamp = (lamp + 5) % 8; goto mode39
	fi;
mode53:
	if
	:: bus?0 -> heat = 0; goto mode12
	:: bus?1 -> lamp = (lamp + 2) % 8; goto mode18
	:: bus?2 -> heat = (heat + 1) % 6; goto mode34
	:: bus?3 -> lamp = 0; goto mode0
	:: bus?4 -> heat = 2; goto mode36
	:: bus?5 -> lamp = (lamp + 1) % 8; goto mode22
	:: bus?6 -> heat = (heat + 1) % 6; goto mode18
	:: bus?7 -> lamp = 4; goto mode24
	:: bus?8 -> heat = 4; goto mode40
	:: bus?9 -> lamp = (lamp + 5) % 8; goto mode6
	:: bus?10 -> heat = (heat + 1) % 6; goto mode42
	:: bus?11 -> lamp = 0; goto mode28
	:: bus?12 -> heat = 0; goto mode24
	:: bus?13 -> lamp = (lamp + 4) % 8; goto mode30
	:: bus?14 -> heat = (heat + 1) % 6; goto mode46
	fi;
mode54:
	if
	:: bus?0 -> lamp = (lamp + 1) % 8; goto mode19
	:: bus?1 -> heat = (heat + 1) % 6; goto mode25
	:: bus?2 -> lamp = 0; goto mode41
	:: bus?3 -> heat = 0; goto mode7
	:: bus?4 -> lamp = (lamp + 5) % 8; goto mode43
	:: bus?5 -> heat = (heat + 1) % 6; goto mode29
	:: bus?6 -> lamp = 4; goto mode25
	:: bus?7 -> heat = 0; goto mode31
	:: bus?8 -> lamp = (lamp + 4) % 8; goto mode47
	:: bus?9 -> heat = (heat + 1) % 6; goto mode13
	:: bus?10 -> lamp = 0; goto mode49
	:: bus?11 -> heat = 0; goto mode35
	:: bus?12 -> lamp = (lamp + 3) % 8; goto mode31
	:: bus?13 -> heat = (heat + 1) % 6; goto mode37
	:: bus?14 -> lamp = 4; goto mode53
	fi;
mode55:
	if
	:: bus?0 -> heat = (heat + 1) % 6; goto mode26
	:: bus?1 -> lamp = 0; goto mode32
	:: bus?2 -> heat = 2; goto mode48
	:: bus?3 -> lamp = (lamp + 4) % 8; goto mode14
	:: bus?4 -> heat = (heat + 1) % 6; goto mode50
	:: bus?5 -> lamp = 4; goto mode36
	:: bus?6 -> heat = 0; goto mode32
	:: bus?7 -> lamp = (lamp + 3) % 8; goto mode38
	:: bus?8 -> heat = (heat + 1) % 6; goto mode54
	:: bus?9 -> lamp = 0; goto mode20
	:: bus?10 -> heat = 4; goto mode56
	:: bus?11 -> lamp = (lamp + 2) % 8; goto mode42
	:: bus?12 -> heat = (heat + 1) % 6; goto mode38
	:: bus?13 -> lamp = 4; goto mode44
	:: bus?14 -> heat = 2; goto mode0
	fi;
mode56:
	if
	:: bus?0 -> lamp = 0; goto mode33
	:: bus?1 -> heat = 2; goto mode39
	:: bus?2 -> lamp = (lamp + 3) % 8; goto mode55
	:: bus?3 -> heat = (heat + 1) % 6; goto mode21
	:: bus?4 -> lamp = 4; goto mode57
	:: bus?5 -> heat = 4; goto mode43
	:: bus?6 -> lamp = (lamp + 2) % 8; goto mode39
	:: bus?7 -> heat = (heat + 1) % 6; goto mode45
	:: bus?8 -> lamp = 0; goto mode1
	:: bus?9 -> heat = 0; goto mode27
	:: bus?10 -> lamp = (lamp + 1) % 8; goto mode3
	:: bus?11 -> heat = (heat + 1) % 6; goto mode49
	:: bus?12 -> lamp = 4; goto mode45
	:: bus?13 -> heat = 2; goto mode51
	:: bus?14 -> lamp = (lamp + 5) % 8; goto mode7
	fi;
mode57:
	if
	:: bus?0 -> heat = 0; goto mode40
	:: bus?1 -> lamp = (lamp + 2) % 8; goto mode46
	:: bus?2 -> heat = (heat + 1) % 6; goto mode2
	:: bus?3 -> lamp = 4; goto mode28
	:: bus?4 -> heat = 0; goto mode4
	:: bus?5 -> lamp = (lamp + 1) % 8; goto mode50
	:: bus?6 -> heat = (heat + 1) % 6; goto mode46
	:: bus?7 -> lamp = 0; goto mode52
	:: bus?8 -> heat = 0; goto mode8
	:: bus?9 -> lamp = (lamp + 5) % 8; goto mode34
	:: bus?10 -> heat = (heat + 1) % 6; goto mode10
	:: bus?11 -> lamp = 4; goto mode56
	:: bus?12 -> heat = 0; goto mode52
	:: bus?13 -> lamp = (lamp + 4) % 8; goto mode58
	:: bus?14 -> heat = (heat + 1) % 6; goto mode14
	fi;
mode58:
	if
	:: bus?0 -> lamp = (lamp + 1) % 8; goto mode47
	:: bus?1 -> heat = (heat + 1) % 6; goto mode53
	:: bus?2 -> lamp = 4; goto mode9
	:: bus?3 -> heat = 0; goto mode35
	:: bus?4 -> lamp = (lamp + 5) % 8; goto mode11
	:: bus?5 -> heat = (heat + 1) % 6; goto mode57
	:: bus?6 -> lamp = 0; goto mode53
	:: bus?7 -> heat = 4; goto mode59
	:: bus?8 -> lamp = (lamp + 4) % 8; goto mode15
	:: bus?9 -> heat = (heat + 1) % 6; goto mode41
	:: bus?10 -> lamp = 4; goto mode17
	:: bus?11 -> heat = 2; goto mode3
	:: bus?12 -> lamp = (lamp + 3) % 8; goto mode59
	:: bus?13 -> heat = (heat + 1) % 6; goto mode5
	:: bus?14 -> lamp = 0; goto mode21
	fi;
mode59:
	if
	:: bus?0 -> heat = (heat + 1) % 6; goto mode54
	:: bus?1 -> lamp = 4; goto mode0
	:: bus?2 -> heat = 4; goto mode16
	:: bus?3 -> lamp = (lamp + 4) % 8; goto mode42
	:: bus?4 -> heat = (heat + 1) % 6; goto mode18
	:: bus?5 -> lamp = 0; goto mode4
	:: bus?6 -> heat = 0; goto mode0
	:: bus?7 -> lamp = (lamp + 3) % 8; goto mode6
	:: bus?8 -> heat = (heat + 1) % 6; goto mode22
	:: bus?9 -> lamp = 4; goto mode48
	:: bus?10 -> heat = 2; goto mode24
	:: bus?11 -> lamp = (lamp + 2) % 8; goto mode10
	:: bus?12 -> heat = (heat + 1) % 6; goto mode6
	:: bus?13 -> lamp = 0; goto mode12
	:: bus?14 -> heat = 4; goto mode28
	fi;
}

#ifdef WATCH
active proctype Watch()
{
	do
	:: lamp > 3 -> heat = (heat + 2) % 6
	:: heat > 3 -> lamp = (lamp + 3) % 8
	od
}
#endif
