#include <iostream>
int main() {}
