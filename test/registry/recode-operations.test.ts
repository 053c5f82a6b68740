import { describe, expect, test } from 'vitest'
import { available } from '../available.ts'
import { describeArea, type Step } from './support/area-tests.ts'
import { expectFacts } from './support/expectation-facts.ts'
import { RECODE_FILES, readRecodeVectors } from './support/recode-vectors.ts'
import { readExpectations } from './support/staging-vectors.ts'
import { strictRecodeFaults } from './support/strict-lookups.ts'

// Every operation of the recodes with every status that it declares.

const RECODE = '/rest/recode'
const GROUP = `GET ${RECODE}/sitegroup`
const THYMUS = 'site=C379&hist=9650'

const area = await describeArea({
  area: 'recode',
  names: { algorithm: 'seer' },
  unknown: { algorithm: 'nowhere' },
  queryOf: (operation) => (operation.startsWith('GET ') ? ANY : undefined),
  bodyOf: () => ({ site: 'C379', hist: '9650', code: 'C37', ...PATIENT }),
  rolesFor: () => [],
  reads: /^POST /,
})

const OTHERS = [
  'brain-cns',
  'lymphoid',
  'behavior',
  'summary-grade',
  'days-to-treatment',
  'cause-of-death',
  'tumor-size',
  'breast-subtype',
  'icd-10-cm',
  'icd-10',
  'icd-9-cm',
  'icd-o-2',
]
/** Parameters that satisfy every recode. */
const ANY = `${THYMUS}&code=C37`
/** A body that satisfies both recodes of patients. */
const PATIENT = { end_year: '2020', tumors: [{ site: 'C379', hist: '9650', behavior: '3' }] }

const STEPS: readonly Step[] = [
  [`${GROUP}/algorithms`, 200],
  [GROUP, 200, { query: THYMUS }],
  [GROUP, 400, { query: 'hist=9650' }],
  [`${GROUP}/{algorithm}`, 200, { query: THYMUS }],
  [`${GROUP}/{algorithm}`, 200, { query: 'site=%3F&hist=none' }],
  [`${GROUP}/{algorithm}`, 400, { query: '' }],
  [`${GROUP}/{algorithm}`, 400, { query: 'site=C379&hist=' }],
  [`${GROUP}/{algorithm}`, 400, { query: `${THYMUS}&version=1812` }],
  [`${GROUP}/{algorithm}`, 400, { query: `${THYMUS}&site=C500` }],
  [`${GROUP}/{algorithm}`, 400, { algorithm: '__proto__', query: THYMUS }],
  [`${GROUP}/{algorithm}`, 400, { algorithm: 'lymphoid', query: THYMUS }],
  ...OTHERS.flatMap((id): Step[] => [
    [`GET ${RECODE}/${id}`, 200, { query: ANY }],
    [`GET ${RECODE}/${id}`, 400, { query: `${ANY}&version=1812` }],
  ]),
  ...['iarc', 'survival-time', 'race'].flatMap((id): Step[] => [
    [`POST ${RECODE}/${id}`, 200, {}, PATIENT],
    [`POST ${RECODE}/${id}`, 400, {}, { ...PATIENT, tumors: 'none' }],
    [`POST ${RECODE}/${id}`, 400, {}, { ...PATIENT, tumors: Array(101).fill({}) }],
    [`POST ${RECODE}/${id}`, 400, { query: 'version=1812' }, PATIENT],
  ]),
]

area.testSteps('each of them', STEPS)
area.testRefusals()
area.testRoles()

test('the answer of the published description, and what casemill adds', async () => {
  const query = 'site=C379&hist=9650&behavior=3'
  const ask = (text: string) =>
    area.take([`${GROUP}/{algorithm}`, 200, { algorithm: 'iccc', query: text }])
  expect(await ask(query)).toEqual({
    site: 'C379',
    hist: '9650',
    behavior: '3',
    site_group: '021',
  })
  // By hand: `grep 'Hodgkin lymphomas' iccc-data-third-edition-iarc-2017.csv` is the only row with 9650;
  // 21 to 25 are category 02.
  expect(await ask(`${query}&details=true`)).toEqual({
    site: 'C379',
    hist: '9650',
    behavior: '3',
    site_group: '021',
    name: 'Hodgkin lymphomas',
    extended_group: '009',
    major_category: '02',
  })
})

test('of several that are missing the first is named', async () => {
  const message = await area.take([`${GROUP}/{algorithm}`, 400, { query: 'behavior=3' }])
  expect(message).toBe("Required parameter 'site' is not present.")
})

test('a refusal repeats nothing of the case', async () => {
  const query = 'site=C379&hist=9650&version=C3799650'
  const message = await area.take([`${GROUP}/{algorithm}`, 400, { query }])
  expect(message).not.toMatch(/C379|9650/)
  expect(message).toContain('2003-without-kms')
})

describe.skipIf(!available.shared)('what the public client expects', () => {
  const expectations = readExpectations('recode')

  // By `grep -c '"area": "recode"' client-expectations.jsonl`.
  test('there are five', () => void expect(expectations).toHaveLength(5))

  test.each(expectations)('$request', async ({ request, expect: facts }) => {
    const { status = 200, message } = facts as { status?: number; message?: string }
    const response = await area.world.ask(request)
    expect(response.status).toBe(status)
    const answer: unknown = await response.json()
    if (message !== undefined) return expect(answer).toMatchObject({ message })
    expectFacts(answer, facts as Record<string, unknown>)
    const kind = request.endsWith('/algorithms') ? 'algorithms' : 'group'
    expect(strictRecodeFaults(kind, answer)).toEqual([])
  })
})

describe.skipIf(!available.shared)('recorded recodes over HTTP', () => {
  test.each(RECODE_FILES)('all of $file agree', async ({ file, recode, output }) => {
    const isGroup = output === 'site_group'
    const path = isGroup ? `${RECODE}/sitegroup/${recode}` : `${RECODE}/${recode}`
    for (const { version, input, expected, isExtended } of readRecodeVectors(file)) {
      const query = new URLSearchParams({
        ...input,
        ...(version && { version }),
        ...(isExtended && { details: 'true' }),
      })
      const response = await area.world.ask(`GET ${path}?${query}`)
      const told = (await response.json()) as Record<string, string>
      const needsSite = file !== 'derived-summary-grade'
      if (needsSite && (!input.site || !input.hist)) {
        const name = input.site ? 'hist' : 'site'
        expect(told.message).toBe(`Required parameter '${name}' is not present.`)
        continue
      }
      const code = isExtended ? (told.extended_group ?? '999') : told[output]
      expect({ input, code: code ?? null }).toEqual({ input, code: expected })
    }
  })

  test.each(RECODE_FILES)('a batch of all of $file agrees', async ({ file, recode, output }) => {
    const vectors = readRecodeVectors(file).filter(({ isExtended }) => !isExtended)
    const isGroup = output === 'site_group'
    const path = isGroup ? `${RECODE}/sitegroup/${recode}` : `${RECODE}/${recode}`
    for (const [version, ofVersion] of Map.groupBy(vectors, (one) => one.version)) {
      const body = ofVersion.map(({ input }) => JSON.stringify(input)).join('\n')
      const query = version === undefined ? '' : `?version=${version}`
      const response = await area.world.ask(`POST ${path}/batch${query}`, {
        body,
        headers: { 'Content-Type': 'application/x-ndjson' },
      })
      expect(response.status).toBe(200)
      const answers = (await response.text()).trimEnd().split('\n')
      const told = answers.map((line) => JSON.parse(line) as Record<string, unknown>)
      const wanted = ofVersion.map(({ input, expected }) =>
        output !== 'grade' && (!input.site || !input.hist) ? 'error' : expected,
      )
      expect(told.map((one) => (one.error ? 'error' : (one[output] ?? null)))).toEqual(wanted)
    }
  })
})

// Histologies are left out of the pattern, because times and request ids may contain the same numbers.
area.testSeen({ unsaid: /C379|nowhere|BAD KEY/, said: `${RECODE}/sitegroup` })
