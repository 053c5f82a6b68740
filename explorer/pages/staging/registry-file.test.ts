import { gunzipSync, gzipSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import { type Service, ServiceError } from '../../service/service.ts'
import { editFile } from './edit-file.ts'
import { type ProcessProgress, processFile, resultsOf } from './process-file.ts'
import { isRegistryFile } from './registry-file.ts'
import { resultTable } from './stage-file.ts'

const XML = '<?xml version="1.0"?>\n<NaaccrData>\n<Patient/>\n</NaaccrData>\n'
const { signal } = new AbortController()

type Posted = Parameters<Service['post']>[0]

/** A service that gives these lines as its answer, in pieces of some bytes, and remembers what it was sent. */
function fileService(lines: readonly unknown[], piece = 7) {
  const sent: (Posted & { readonly text: string })[] = []
  return {
    sent,
    fetch: () => Promise.reject(new Error('no case is sent by itself')),
    async post(request: Posted): Promise<Response> {
      const bytes = Buffer.from(await request.body.arrayBuffer())
      sent.push({ ...request, text: gunzipSync(bytes).toString() })
      const all = Buffer.from(lines.map((line) => `${JSON.stringify(line)}\n`).join(''))
      const body = new ReadableStream<Uint8Array<ArrayBuffer>>({
        start(controller) {
          for (let at = 0; at < all.length; at += piece) {
            controller.enqueue(Uint8Array.from(all.subarray(at, at + piece)))
          }
          controller.close()
        },
      })
      return new Response(body)
    },
  }
}

const VERSION = { algorithm: 'demo', version: '1.0' }
const staged = (site: string, stage: string, more: object = {}) => ({
  ...{ line: 3, result: 'STAGED', schema_id: 'made', errors: [], output: { stage } },
  items: { primarySite: site, histologicTypeIcdO3: '8140', dateOfDiagnosis: '20230131' },
  ...more,
})
const PATIENTS = [
  {
    ...{ line: 3, patientIdNumber: '7', recodes: { iarc: { primary: 'é' } } },
    tumors: [
      staged('C182', '2'),
      staged('C509', '3', { line: 9, recodes: { seer: { group: '4' } } }),
    ],
    primaries: {
      tumours: [
        { input: 1, group: 0 },
        { input: 0, group: 1 },
      ],
    },
  },
  { line: 20, error: { code: 'too_large', message: 'one patient is too large' } },
]
const SUMMARY = { patients: 2, tumors: 2, counts: [] }

test('registry files are known by how they begin', async () => {
  const fixed = `A1${' '.repeat(14)}180${' '.repeat(80)}\n`
  for (const text of [XML, `\uFEFF ${XML}`, fixed, 'I              180'.replace('I ', 'I  ')]) {
    expect(await isRegistryFile(new Blob([text]))).toBe(true)
  }
  expect(await isRegistryFile(new Blob([gzipSync(XML)]))).toBe(true)
  for (const text of ['site,hist\nC182,8140\n', 'AGE,site,hist\n', '{"site":"C182"}', '']) {
    expect(await isRegistryFile(new Blob([text]))).toBe(false)
  }
})

describe('a registry file', () => {
  async function processed(
    service = fileService([...PATIENTS, { summary: SUMMARY }]),
    isChosen = true,
  ) {
    const seen: ProcessProgress[] = []
    const onProgress = (progress: ProcessProgress) => seen.push(progress)
    const file = new Blob([XML])
    const given = { service, version: VERSION, isChosen, file, onProgress, signal }
    return { done: await processFile(given), seen, sent: service.sent }
  }

  test('is sent compressed, and counted by year, site and stage', async () => {
    const { done, sent, seen } = await processed()
    expect(sent).toMatchObject([
      {
        path: '/rest/naaccr/process',
        query: { algorithm: 'auto', items: 'primarySite,histologicTypeIcdO3,dateOfDiagnosis' },
        text: XML,
      },
    ])
    expect(Object.fromEntries([...done.results])).toEqual({ STAGED: 2, REFUSED: 1 })
    const counts = (name: string) => Object.fromEntries(done.counts.get(name) ?? [])
    expect(counts('year_dx')).toEqual({ '2023': 2 })
    expect(counts('site')).toEqual({ C182: 1, C509: 1 })
    expect(counts('stage')).toEqual({ '2': 1, '3': 1 })
    expect(counts('primary')).toEqual({ '1': 1, '2': 1 })
    expect(done.failures).toMatchObject([{ line: 20, messages: ['one patient is too large'] }])
    expect(done.summary).toEqual(SUMMARY)
    const answers = (await done.answers?.text()) ?? ''
    expect(
      answers
        .trimEnd()
        .split('\n')
        .map((line): unknown => JSON.parse(line)),
    ).toEqual(PATIENTS)
    expect(seen.map(({ step }) => step)).toContain('sending')
    expect(done.bytes).toBe(XML.length)
    const table = (await (await resultTable(done)).text()).split('\n')
    expect(table[0]?.split('\t')).toContain('seer.group')
    expect(table).toHaveLength(5)
  })

  test('is staged by the chosen version', async () => {
    const { sent } = await processed(undefined, false)
    expect(sent[0]?.query).toMatchObject({ algorithm: 'demo', version: '1.0' })
  })

  test('that ends with an error keeps what was before, and an answer without an end is none', async () => {
    const [patient] = PATIENTS
    const error = { code: 'bad_input', message: 'go on from line 20' }
    const kept: ProcessProgress[] = []
    const given = { version: VERSION, isChosen: true, file: new Blob([XML]), signal }
    const onProgress = (progress: ProcessProgress) => kept.push(progress)
    const broken = fileService([patient, { error }])
    await expect(processFile({ ...given, service: broken, onProgress })).rejects.toThrow(
      'go on from line 20',
    )
    expect(kept.at(-1)?.cases).toBe(2)
    expect(await kept.at(-1)?.answers?.text()).toBe(`${JSON.stringify(patient)}\n`)
    await expect(processed(fileService([patient]))).rejects.toThrow('ended too early')
    const refusing = {
      ...fileService([]),
      post: () => Promise.reject(new ServiceError('no dictionary', 400)),
    }
    await expect(processed(refusing)).rejects.toThrow('no dictionary')
  })
})

test('several results of a tumor are one, and the first has precedence', () => {
  const further = [
    { result: 'STAGED', errors: [{ message: 'second' }], output: { a: '2', b: '2' } },
  ]
  const tumor = { line: 4, result: 'MULTIPLE', errors: [{ message: 'first' }], output: { a: '1' } }
  const discriminators = ['sex']
  const patient = { line: 3, tumors: [{ ...tumor, further, discriminators }] }
  expect(resultsOf(patient)).toEqual([
    {
      ...{ line: 4, inputs: {}, result: 'MULTIPLE', output: { a: '1', b: '2' } },
      messages: ['first', 'second', 'the schema depends on sex'],
    },
  ])
})

test('edits are counted by number, and listed by tumor', async () => {
  const edit = (number: string, line: number) => ({
    ...{ number, line, name: `name ${number}`, message: 'wrong', items: ['sex', 'primarySite'] },
  })
  const patients = [
    {
      ...{ line: 3, patientIdNumber: '7', edits: [edit('N1', 3)] },
      tumors: [
        { tumorRecordNumber: '01', edits: [edit('N2', 5), edit('N1', 6)] },
        { tumorRecordNumber: '02', edits: [] },
      ],
    },
    { line: 20, error: { code: 'too_large', message: 'one patient is too large' } },
  ]
  const summary = { ...SUMMARY, rules: 60, notApplied: ['R7'], codedItems: 12 }
  const service = fileService([...patients, { summary }])
  const done = await editFile({ service, file: new Blob([XML]), onProgress: () => {}, signal })
  expect(service.sent).toMatchObject([
    { path: '/rest/naaccr/edits', query: { finish: 'true' }, text: XML },
  ])
  expect(done).toMatchObject({ patients: 2, tumors: 2, passed: 1, summary })
  expect(done.counts).toEqual([
    { number: 'N1', name: 'name N1', count: 2 },
    { number: 'N2', name: 'name N2', count: 1 },
    { number: '', name: 'patient not accepted', count: 1 },
  ])
  expect(
    done.failures.map(({ line, patient, tumor, number }) => [line, patient, tumor, number]),
  ).toEqual([
    [3, '7', '', 'N1'],
    [5, '7', '01', 'N2'],
    [6, '7', '01', 'N1'],
    [20, '', '', ''],
  ])
})
