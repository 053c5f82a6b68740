// Changes of proteins and of coding DNA in the notation of HGVS (hgvs-nomenclature.org). Mutation tables have
// protein changes with one-letter codes of amino acids (p.R175H) and with three-letter codes (p.Arg175His).

/** One-letter codes of amino acids and of a stop (Ter), keyed by three-letter codes. */
const LETTERS: Readonly<Record<string, string>> = {
  Ala: 'A',
  Arg: 'R',
  Asn: 'N',
  Asp: 'D',
  Asx: 'B',
  Cys: 'C',
  Gln: 'Q',
  Glu: 'E',
  Glx: 'Z',
  Gly: 'G',
  His: 'H',
  Ile: 'I',
  Leu: 'L',
  Lys: 'K',
  Met: 'M',
  Phe: 'F',
  Pro: 'P',
  Pyl: 'O',
  Sec: 'U',
  Ser: 'S',
  Ter: '*',
  Thr: 'T',
  Trp: 'W',
  Tyr: 'Y',
  Val: 'V',
  Xaa: 'X',
}
const WORDS: Readonly<Record<string, string>> = Object.fromEntries(
  Object.entries(LETTERS).map(([word, letter]) => [letter, word]),
)

const WORD = new RegExp(Object.keys(LETTERS).join('|'), 'g')
/** Matches a whole change with one-letter codes. A splice site has only a position, as in `p.X125_splice`. */
const SHORT = /^p\.(?:[A-Z*\d_?=-]|fs|ext|del|ins|dup|splice)+$/
const LONG = new RegExp(`^p\\.(?:${WORD.source}|[\\d_?=-]|fs|ext|del|ins|dup)+$`)
const CODING = /^[cn]\.(?:[-+*\d_?()>=ACGTN]|del|ins|dup|inv|con)+$/
/** Matches changes of one amino acid, which are the most common. */
const PLAIN = /^p\.[A-Z*]\d+[A-Z*]$/
/** Matches the name of a sequence before a change, as in `ENSP00000269305.4:p.Arg175His`. */
const SEQUENCE = /^([\w.-]+(?:\([\w.-]+\))?):(?=[pcn]\.)/

/** Returns whether a text is a protein change with one-letter codes. */
export const isShortChange = (text: string): boolean => PLAIN.test(text) || SHORT.test(text)

/** Returns whether a text is a protein change with three-letter codes. */
export const isLongChange = (text: string): boolean => LONG.test(text)

/** Returns whether a text is a change of coding or other transcribed DNA, without the name of its sequence. */
export const isCodingChange = (text: string): boolean => CODING.test(text)

/**
 * Formats a protein change with one-letter codes, without the name of its sequence and without the parentheses
 * that mark a prediction. Returns any other text unchanged.
 * @example shortChange('ENSP00000269305.4:p.(Arg175His)') // 'p.R175H'
 */
export function shortChange(text: string): string {
  if (PLAIN.test(text)) return text
  const given = decoded(text)
  const letters = bareChange(given)
    .replaceAll(WORD, (word) => LETTERS[word] ?? word)
    // Older notations of a frameshift, and of no change.
    .replace(/(fs|ext)X(?=\d|\?|$)/, '$1*')
    .replace(/^p\.([A-Z])(\d+)=$/, 'p.$1$2$1')
  return SHORT.test(letters) ? letters : given
}

/**
 * Formats a protein change with three-letter codes, without the name of its sequence and without parentheses.
 * Returns any other text unchanged.
 * @example longChange('p.R175H') // 'p.Arg175His'
 */
export function longChange(text: string): string {
  if (LONG.test(text)) return text
  const given = decoded(text)
  const bare = bareChange(given)
  const words = bare.match(WORD)
    ? bare.replaceAll('*', 'Ter')
    : bare.replace(/[A-Z*]/g, (letter) => WORDS[letter] ?? letter)
  return LONG.test(words) ? words : given
}

/** Returns a change of coding DNA, and the name of the sequence before it, such as `ENST00000269305.9`. */
export function codingChange(text: string): {
  readonly sequence: string | undefined
  readonly change: string
} {
  const [before = '', sequence] = SEQUENCE.exec(text) ?? []
  return { sequence, change: text.slice(before.length) }
}

/** Decodes `=` and `>`, which some tables percent-encode. */
export const decoded = (text: string): string =>
  text.includes('%') ? text.replaceAll('%3D', '=').replaceAll('%3E', '>') : text

/** Returns a protein change without its sequence and parentheses, and with the prefix `p.`. */
function bareChange(text: string): string {
  const change = text.replace(SEQUENCE, '').replace(/^(p\.)?\((.*)\)$/, '$1$2')
  return /^(?:[A-Z*]|[A-Z][a-z]{2})\d/.test(change) ? `p.${change}` : change
}
