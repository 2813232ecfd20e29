// expect: error P0501
/* Each initial value takes twice the terms of the one before. */
int g = 1;
active proctype P() {
    int v0 = g;
    int v1 = v0 + v0;
    int v2 = v1 + v1;
    int v3 = v2 + v2;
    int v4 = v3 + v3;
    int v5 = v4 + v4;
    int v6 = v5 + v5;
    int v7 = v6 + v6;
    int v8 = v7 + v7;
    int v9 = v8 + v8;
    int v10 = v9 + v9;
    int v11 = v10 + v10;
    int v12 = v11 + v11;
    int v13 = v12 + v12;
    int v14 = v13 + v13;
    int v15 = v14 + v14;
    int v16 = v15 + v15;
    int v17 = v16 + v16;
    int v18 = v17 + v17;
    int v19 = v18 + v18;
    int v20 = v19 + v19;
    int v21 = v20 + v20;
    int v22 = v21 + v21;
    int v23 = v22 + v22;
    int v24 = v23 + v23;
    int v25 = v24 + v24;
    int v26 = v25 + v25;
    int v27 = v26 + v26;
    int v28 = v27 + v27;
    int v29 = v28 + v28;
    int v30 = v29 + v29;
    int v31 = v30 + v30;
    int v32 = v31 + v31;
    int v33 = v32 + v32;
    int v34 = v33 + v33;
    int v35 = v34 + v34;
    int v36 = v35 + v35;
    int v37 = v36 + v36;
    int v38 = v37 + v37;
    int v39 = v38 + v38;
    skip
}
