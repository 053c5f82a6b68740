interface Listed {
  readonly name: string
  readonly weight: number
}

/**
 * The members of an `Accept` or `Accept-Encoding` header, most wanted first and in their own order
 * where they are wanted equally; what is refused (weight 0) last. Never throws: a weight that
 * cannot be read counts as 1.
 *
 * @example listedPreferences('gzip;q=0.5, br') // [{ name: 'br', weight: 1 }, { name: 'gzip', weight: 0.5 }]
 */
export function listedPreferences(header: string | null): readonly Listed[] {
  const members = (header ?? '').toLowerCase().split(',')
  return members
    .map((member): Listed => {
      const [name = '', ...parameters] = member.split(';').map((part) => part.trim())
      const weight = parameters.find((parameter) => parameter.startsWith('q='))?.slice(2)
      return { name, weight: weight === undefined ? 1 : weightOf(weight) }
    })
    .filter(({ name }) => name !== '')
    .sort((a, b) => b.weight - a.weight)
}

function weightOf(text: string): number {
  const weight = Number(text)
  return weight >= 0 && weight <= 1 ? weight : 1
}

export type Coding = 'zstd' | 'br' | 'gzip' | 'identity'

/** At equal weight the one that makes the least of JSON wins; the first is the fastest, too. */
const CODINGS = ['zstd', 'br', 'gzip'] as const

/**
 * The content coding to answer in. Identity where nothing better is asked for by name, and also
 * where it is refused: an answer that a client may not like is better than none (data-commons.md 2.1).
 */
export function preferredCoding(acceptEncoding: string | null): Coding {
  const listed = listedPreferences(acceptEncoding)
  const weightFor = (coding: string) => listed.find(({ name }) => name === coding)?.weight
  const rest = weightFor('*') ?? 0
  let best: Coding = 'identity'
  let most = Math.max(weightFor('identity') ?? 0, Number.MIN_VALUE)
  for (const coding of CODINGS) {
    const weight = weightFor(coding) ?? rest
    const isBetter = best === 'identity' ? weight >= most : weight > most
    if (!isBetter) continue
    best = coding
    most = weight
  }
  return best
}
