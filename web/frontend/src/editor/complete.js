// What completion offers: words of the language with their meaning.

/** Completions for the word that ends `text`, or null when there is no word and none was asked for. */
export function complete(list, text, { explicit }) {
  const word = /(?:[\w.]|::)*$/.exec(text)[0];
  if (!word && !explicit) return null;
  return { length: word.length, options: list };
}
