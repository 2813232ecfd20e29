// Nothing here is an error.
byte b = 300;
init { if :: b < 0 -> skip :: else fi }
