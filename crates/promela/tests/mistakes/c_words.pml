// expect: error P0100
// says: a process is written `proctype main() { ... }`
int main() {
  int x = 0;
  while (x < 3) { x += 1; }
  return 0;
}
