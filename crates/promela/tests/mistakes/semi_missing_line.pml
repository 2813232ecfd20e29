// expect: error P0100
// says: what is printed follows the format after a `,`
byte x, y
bool done
active proctype P()
{
  x = 1
  y = 2
  printf("x %d\n" x)
}
