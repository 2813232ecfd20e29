// expect: error P0100
// says: statements on one line are separated by `;`
byte x;
active proctype P() { x = 1 x = 2 }
