// How many values a text holds, by the rules of the server: numbers between blanks, commas, brackets.

export function countValues(text) {
  return text.split(/[\s,;[\]]+/).filter(Boolean).length;
}
