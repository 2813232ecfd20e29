/* The text does not bound the number of processes: it takes twenty, and a pool to match. */
byte started;
proctype Child() { end: false }
init { do :: started < 20 -> run Child(); started++ :: else -> break od; end: false }
