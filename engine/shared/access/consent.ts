import { EngineError } from '../errors.ts'

/**
 * Terms of the Data Use Ontology (DUO), release of 2021-02-23 and later: GA4GH's vocabulary for what a donor's
 * consent permits. A permission says which research may use the data. A modifier adds a condition.
 */
interface ConsentTerm {
  /** Id, such as `DUO:0000042`. */
  readonly id: string
  /** The abbreviation by which committees call it, such as `GRU`. */
  readonly short: string
  readonly label: string
}

const PERMISSIONS = [
  ['0000004', 'NRES', 'no restriction'],
  ['0000042', 'GRU', 'general research use'],
  ['0000006', 'HMB', 'health or medical or biomedical research'],
  ['0000007', 'DS', 'disease specific research'],
  ['0000011', 'POA', 'population origins or ancestry research only'],
] as const

const MODIFIERS = [
  ['0000012', 'RS', 'research specific restrictions'],
  ['0000015', 'NMDS', 'no general methods research'],
  ['0000016', 'GSO', 'genetic studies only'],
  ['0000018', 'NPUNCU', 'not for profit, non commercial use only'],
  ['0000019', 'PUB', 'publication required'],
  ['0000020', 'COL', 'collaboration required'],
  ['0000021', 'IRB', 'ethics approval required'],
  ['0000022', 'GS', 'geographical restriction'],
  ['0000024', 'MOR', 'publication moratorium'],
  ['0000025', 'TS', 'time limit on use'],
  ['0000026', 'US', 'user specific restriction'],
  ['0000027', 'PS', 'project specific restriction'],
  ['0000028', 'IS', 'institution specific restriction'],
  ['0000029', 'RTN', 'return to database or resource'],
  ['0000043', 'CC', 'clinical care use'],
  ['0000044', 'NPOA', 'population origins or ancestry research prohibited'],
  ['0000045', 'NPU', 'not for profit organisation use only'],
  ['0000046', 'NCU', 'non-commercial use only'],
] as const

/** All terms by which data can be marked, permissions first. */
export const CONSENT_TERMS: readonly ConsentTerm[] = Object.freeze(
  [...PERMISSIONS, ...MODIFIERS].map(([number, short, label]) =>
    Object.freeze({ id: `DUO:${number}`, short, label }),
  ),
)

const BY_NAME: ReadonlyMap<string, ConsentTerm> = new Map(
  CONSENT_TERMS.flatMap((term) => [
    [term.id, term] as const,
    [term.short, term] as const,
    [term.label.toUpperCase(), term] as const,
  ]),
)

/** Methods development (MDS), a purpose for which there is no permission. NMDS excludes it. */
const METHODS = 'DUO:0000031'

const termId = (short: string) => {
  const term = BY_NAME.get(short)
  if (!term) throw new Error(`no consent term ${short}`)
  return term.id
}

const [NRES, GRU, HMB, DS, POA] = [
  termId('NRES'),
  termId('GRU'),
  termId('HMB'),
  termId('DS'),
  termId('POA'),
]
const [NPUNCU, NPU, NCU] = [termId('NPUNCU'), termId('NPU'), termId('NCU')]

/**
 * The purposes that users can state, each with the permissions for it: its own and the wider ones, as in the
 * table of DUO's documentation (research purpose to query). A permission for a disease is for this disease.
 */
const PERMITTED_BY: ReadonlyMap<string, readonly string[]> = new Map([
  [GRU, [GRU]],
  [HMB, [HMB, GRU]],
  [DS, [DS, HMB, GRU]],
  [POA, [POA, GRU]],
  [METHODS, [DS, HMB, GRU, POA]],
])

/** A consent code or a purpose: a term, and what it is limited to, such as a disease or a date. */
interface ConsentCode {
  readonly id: string
  /** Text after the term in capital letters, such as `MONDO:0004992` for a disease, or '' if there is none. */
  readonly detail: string
}

/**
 * Returns a consent code in its usual form, `DUO:0000007 MONDO:0004992`. It can be given by id, abbreviation or
 * label, in any letter case, with its detail after a blank, colon or hyphen: `DS-MONDO:0004992`. Undefined if it
 * names no term, or a permission other than `DS` with further words. It then permits nothing.
 */
export function consentCode(text: string): string | undefined {
  const code = parseCode(text)
  return code && code.id !== METHODS ? textOf(code) : undefined
}

/**
 * Returns a purpose, or a condition that the user accepts, in its usual form: a consent code, or `MDS` for methods
 * development. `NRES` and `CC` are neither. Undefined for any other text.
 */
export function purposeCode(text: string): string | undefined {
  const name = text.trim().toUpperCase()
  if (name === 'MDS' || name === METHODS) return METHODS
  const code = consentCode(text)
  return code === NRES || code === termId('CC') ? undefined : code
}

/**
 * Returns purposes and accepted conditions in their usual form.
 * @throws EngineError `bad_input` for a text that is neither
 */
export function parsePurposes(texts: readonly string[]): readonly string[] {
  return texts.map((text, i) => {
    const code = purposeCode(text)
    if (code !== undefined) return code
    const names = CONSENT_TERMS.map(({ short }) => short).filter((short) => purposeCode(short))
    throw new EngineError(
      'bad_input',
      `purpose ${JSON.stringify(text)} is unknown; use MDS, or one of ${names.join(', ')}, with its detail as in DS-MONDO:0004992`,
      { at: `purposes[${i}]` },
    )
  })
}

/** Returns the abbreviation and label of a consent code for people, or the text if it names no term. */
export function consentLabel(text: string): string {
  const code = parseCode(text)
  const term = code && BY_NAME.get(code.id)
  if (!term) return text
  return `${term.short}${code.detail && ` ${code.detail}`}: ${term.label}`
}

/**
 * Returns the consent codes that the stated purposes and conditions do not satisfy. Empty if the data may be used.
 * Data without codes have no condition.
 *
 * - Each stated purpose needs a permission (see PERMITTED_BY). A user who states none may use only `NRES`.
 * - `NMDS` excludes methods development, and `NPOA` research of ancestry.
 * - All other modifiers must be accepted with the same detail. `NPUNCU` is `NPU` and `NCU` together. `CC` widens
 *   the use and is no condition, unless it has a detail.
 * - A text that is no code is never satisfied.
 * @param consent codes of the data in their usual form (consentCode)
 * @param stated purposes and accepted conditions of the user in their usual form (purposeCode)
 */
export function unmetConsent(
  consent: readonly string[],
  stated: readonly string[],
): readonly string[] {
  const given = stated.flatMap((text) => parseCode(text) ?? [])
  const purposes = given.filter((code) => PERMITTED_BY.has(code.id))
  const codes = consent.map((text) => ({ text, code: parseCode(text) }))
  const permissions = codes.flatMap(({ code }) => (code && isPermission(code) ? [code] : []))
  const isPermitted =
    permissions.some((permission) => permission.id === NRES) ||
    (purposes.length > 0 && purposes.every((purpose) => isPermittedBy(permissions, purpose)))
  return codes
    .filter(({ code }) => {
      if (!code) return true
      return isPermission(code) ? !isPermitted : !isMet(code, given)
    })
    .map(({ text }) => text)
}

function isPermittedBy(permissions: readonly ConsentCode[], purpose: ConsentCode): boolean {
  const wider = PERMITTED_BY.get(purpose.id) ?? []
  return permissions.some(
    ({ id, detail }) =>
      wider.includes(id) &&
      (id !== DS || purpose.id === METHODS || (detail !== '' && detail === purpose.detail)),
  )
}

function isMet({ id: modifier, detail }: ConsentCode, given: readonly ConsentCode[]): boolean {
  const has = (other: string) => given.some(({ id }) => id === other)
  const accepts = (other: string) => given.some((one) => one.id === other && one.detail === detail)
  switch (modifier) {
    case termId('CC'):
      // With a detail it is a limit of its own, such as a hospital.
      return detail === '' || accepts(modifier)
    case termId('NMDS'):
      return !has(METHODS)
    case termId('NPOA'):
      return !has(POA)
    case NPUNCU:
      return accepts(NPUNCU) || (accepts(NPU) && accepts(NCU))
    case NPU:
    case NCU:
      return accepts(modifier) || accepts(NPUNCU)
    default:
      return accepts(modifier)
  }
}

const isPermission = ({ id }: Pick<ConsentCode, 'id'>) =>
  PERMISSIONS.some(([number]) => id === `DUO:${number}`)

const textOf = (code: ConsentCode) => (code.detail === '' ? code.id : `${code.id} ${code.detail}`)

/** Splits a code after its term. Undefined if it begins with no term. */
function parseCode(text: string): ConsentCode | undefined {
  const trimmed = text.trim().replaceAll(/\s+/g, ' ')
  const name = trimmed.toUpperCase()
  if (name === METHODS) return { id: METHODS, detail: '' }
  const whole = BY_NAME.get(name)
  if (whole) return { id: whole.id, detail: '' }
  const [, short = '', detail = ''] =
    /^(DUO[:_]\d{7}|[A-Z]+)[ :=-] ?([^\s,;|][^,;|]*)$/.exec(name) ?? []
  const term = BY_NAME.get(short.replace('_', ':'))
  // Of the permissions only DS has a detail. Words after another one limit it in a way that is not known here.
  if (!term || (isPermission(term) && term.id !== DS)) return undefined
  return { id: term.id, detail }
}
