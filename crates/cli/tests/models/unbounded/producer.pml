/* The producer is not held up by the consumer. */
chan q = [2] of { byte };
active proctype Producer() { do :: q!1 od }
active proctype Consumer() { byte v; do :: q?v od }
