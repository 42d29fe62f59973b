// No attack: what the others are compared with.
SOLVE { answer(PASS); }
