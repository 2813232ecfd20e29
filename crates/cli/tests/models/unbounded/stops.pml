/* It grows for a while, but a message of another kind comes to the head: a beginning is not a proof. */
chan q = [9] of { byte };
active proctype P() {
	q!1;
	do
	:: q?1 -> q!1; q!2
	od
}
