// Words as the index of records has them, written apart from it, for the peers and for the truth.

/** All words of a text, codes followed by their parts, with a blank before each. */
export function spaced(text: string): string {
  return plainWords(text)
    .flatMap((word) => (/[-/.]/.test(word) ? [word, ...word.split(/[-/.]/)] : [word]))
    .map((word) => ` ${word}`)
    .join('')
}

/** The words of a text or a question; codes whole. */
export function plainWords(text: string): string[] {
  const folded = text.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase()
  return folded.split(/[^\p{L}\p{N}\-/.]+/u).flatMap((piece) =>
    piece
      .split(/[-/.]{2,}|^[-/.]|[-/.]$/)
      .flatMap((run) => (/\p{N}/u.test(run) ? [run] : run.split(/[-/.]/)))
      .filter((word) => word !== ''),
  )
}

/** Finds words that begin so in what `spaced` made; words have no character of regular expressions. */
export const beginning = (word: string): RegExp => new RegExp(` ${word.replaceAll('.', '\\.')}`)
