// expect: error P0407
// expect: error P0415
// says: an array of -1 cells
// says: an array of 0 cells
// says: an array of 1000000000 cells
// says: this must be a constant
byte a[-1]; byte b[0]; byte c[1000000000];
byte n; 
init { byte d[n]; d[0] = 1; byte e[_pid]; skip }
