/** The kinds of value that a registry form reads. */
export type CodeKind = 'site' | 'histology' | 'behavior' | 'year' | 'code'

/** The meaning of a value that was typed. */
interface TypedCode {
  /** Code in the form that the registry uses. If the text cannot be read, the text itself. */
  readonly code: string
  /** A behaviour that was typed along with a histology, as in `8500/3`. */
  readonly behavior?: string
  /** Question to the user, if the text has more than one meaning. */
  readonly question?: string
}

/**
 * Reads a code as people write it: with blanks, in lower case, a site with its dot (`c50.4`), a histology with
 * its behaviour (`M-8500/3`), a behaviour with its slash (`/3`). It does not guess the century of a two-digit
 * year.
 */
export function readTyped(kind: CodeKind, text: string): TypedCode {
  const bare = text.replace(/\s/g, '').toUpperCase()
  switch (kind) {
    case 'site': {
      const [, before, after] = /^(C?\d{2})\.?(\d)$/.exec(bare) ?? []
      if (before === undefined) return { code: bare }
      return { code: `${before.startsWith('C') ? before : `C${before}`}${after}` }
    }
    case 'histology': {
      const [, code, behavior] = /^(?:M-?)?(\d{4})(?:\/(\d))?$/.exec(bare) ?? []
      if (code === undefined) return { code: bare }
      return { code, ...(behavior !== undefined && { behavior }) }
    }
    case 'behavior':
      return { code: bare.replace(/^\//, '') }
    case 'year':
      return /^\d{2}$/.test(bare)
        ? {
            code: bare,
            question: `write the year ${bare} with four digits: 19${bare} or 20${bare}`,
          }
        : { code: bare }
    case 'code':
      return { code: text.trim() }
  }
}

/** Returns a remark on how a value was read. Undefined if it was read as typed. */
export function readingOf(
  text: string,
  { code, behavior, question }: TypedCode,
): string | undefined {
  if (question !== undefined) return question
  if (behavior !== undefined) return `${text} is read as ${code} with behaviour ${behavior}`
  return code === text ? undefined : `${text} is read as ${code}`
}

/** Values in the registry's codes, with remarks on how the form read what was typed. */
export interface ReadCodes {
  readonly codes: Readonly<Record<string, string>>
  /** Remarks on values that were changed to another form. */
  readonly readings: readonly string[]
  /** Questions that the person must answer first. */
  readonly questions: readonly string[]
}

/**
 * Reads the values of a form as people type them. If a behaviour is typed with the histology, it fills the
 * behaviour field if that is empty. If the field has another behaviour, the user has to choose. Values of other
 * fields stay unchanged.
 */
export function readCodes(
  typed: Readonly<Record<string, string>>,
  kinds: Readonly<Record<string, CodeKind>>,
): ReadCodes {
  const codes: Record<string, string> = { ...typed }
  const readings: string[] = []
  const questions: string[] = []
  let filledIn: string | undefined
  const ofBehavior = Object.keys(kinds).find((key) => kinds[key] === 'behavior')
  for (const [key, kind] of Object.entries(kinds)) {
    const text = typed[key]
    if (text === undefined) continue
    const one = readTyped(kind, text)
    const reading = readingOf(text, one)
    if (reading !== undefined) (one.question ? questions : readings).push(reading)
    codes[key] = one.code
    if (one.behavior === undefined || ofBehavior === undefined) continue
    const given = readTyped('behavior', typed[ofBehavior] ?? '').code
    if (given !== '' && given !== one.behavior) {
      questions.push(`${text} says behaviour ${one.behavior}, and the form ${given}`)
    } else filledIn = one.behavior
  }
  // The behaviour is set last, so that an empty behaviour field does not erase it.
  if (ofBehavior !== undefined && filledIn !== undefined) codes[ofBehavior] = filledIn
  return { codes, readings, questions }
}
