import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { newState, newStates } from '../../shared/support/new-state.ts'
import type { ImportedHematopoietic } from './import-hematopoietic.ts'
import { MultiplePrimaries } from './service.ts'
import { shippedHematopoietic } from './shipped-hematopoietic.ts'

const RANGES = 'HistologyLow,HistologyHigh,SameHistologyLow,SameHistologyHigh,HistologyGroup'
const GROUP_PAIRS = 'FirstDxHistologyGroup,SecondDxHistologyGroup'
const GROUPS = 'HistologyGroupNumber,HistologyLow,HistologyHigh,HistologyGroupName'

let folder: string
let primaries: MultiplePrimaries
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'casemill-hematopoietic-'))
  primaries = new MultiplePrimaries({ state: await newState(), yearNow: () => '2026' })
})
afterEach(() => rm(folder, { recursive: true, force: true }))

async function file(name: string, ...lines: readonly string[]): Promise<string> {
  const path = join(folder, name)
  await writeFile(path, `${lines.join('\n')}\n`)
  return path
}

const hodgkin = (histology: string, year: string) => ({
  primary_site: 'C770',
  histology_icd_o3: histology,
  behavior_icd_o3: '3',
  date_of_diagnosis_year: year,
  date_of_diagnosis_month: '01',
})
/** By the tables of the package, 9650 followed by 9667 is one disease. */
const result = async (service = primaries) => {
  const pair = { input1: hodgkin('9650', '1996'), input2: hodgkin('9667', '1998') }
  return (await service.compare(pair)).result
}

/** Returns the tables that an import changed, with the numbers of rows added, removed and kept. */
const changes = ({ tables }: ImportedHematopoietic) =>
  tables.flatMap(({ table, added, removed, same, isReordered }) =>
    added + removed > 0 || isReordered ? [{ table, added, removed, same, isReordered }] : [],
  )

const LYMPHOMA = '9590,9590,9591,9591,"Lymphoma, NOS"'
const HODGKIN = `9650,9667,9650,9667,"Hodgkin's disease"`
const { rangePairs1998 } = shippedHematopoietic()

test('a table is replaced, the others stay, and what is the same is not stored again', async () => {
  const path = await file('ranges.csv', RANGES, LYMPHOMA)
  const wanted = {
    table: 'rangePairs1998',
    isReordered: false,
    added: 1,
    removed: rangePairs1998.length,
    same: 0,
  }
  expect(await result()).toBe('SINGLE_PRIMARY')
  const dry = await primaries.import([path], { dryRun: true })
  expect(dry.dryRun).toBe(true)
  expect(changes(dry)).toEqual([wanted])
  expect(await result()).toBe('SINGLE_PRIMARY')
  const report = await primaries.import([path])
  expect(report.tables).toHaveLength(6)
  expect(changes(report)).toEqual([wanted])
  expect(await result()).toBe('MULTIPLE_PRIMARIES')
  expect(changes(await primaries.import([path]))).toEqual([])
  const larger = await file('larger.csv', RANGES, HODGKIN, LYMPHOMA)
  expect(changes(await primaries.import([larger]))).toEqual([
    { ...wanted, added: 1, removed: 0, same: 1 },
  ])
  expect(await result()).toBe('SINGLE_PRIMARY')
  const turned = await file('turned.csv', RANGES, LYMPHOMA, HODGKIN)
  expect(changes(await primaries.import([turned]))).toEqual([])
})

test('of groups the order counts, too', async () => {
  const { groups2001 } = shippedHematopoietic()
  const rows = groups2001.map(({ number, low, high, name }) => `${number},${low},${high},"${name}"`)
  const path = await file('groups.csv', GROUPS, ...rows)
  expect(changes(await primaries.import([path]))).toEqual([])
  const turned = await file('turned.csv', GROUPS, ...rows.toReversed())
  const count = groups2001.length
  expect(changes(await primaries.import([turned]))).toEqual([
    { table: 'groups2001', added: 0, removed: 0, same: count, isReordered: true },
  ])
})

test('the shipped tables come back, and are what they were', async () => {
  await primaries.import([await file('ranges.csv', RANGES, LYMPHOMA)])
  const back = { table: 'rangePairs1998', added: rangePairs1998.length, removed: 1, same: 0 }
  expect(changes(await primaries.useShipped({ dryRun: true }))).toMatchObject([back])
  expect(await result()).toBe('MULTIPLE_PRIMARIES')
  expect(changes(await primaries.useShipped())).toMatchObject([back])
  expect(await result()).toBe('SINGLE_PRIMARY')
  expect(changes(await primaries.useShipped())).toEqual([])
})

test('another connection sees an import at once, and an error in one file stores nothing', async () => {
  const [one, other] = await newStates(folder)
  const writing = new MultiplePrimaries({ state: one, yearNow: () => '2026' })
  const reading = new MultiplePrimaries({ state: other, yearNow: () => '2026' })
  const ranges = await file('ranges.csv', RANGES, LYMPHOMA)
  const bad = await file('pairs.csv', GROUP_PAIRS, '1,1', '1,x')
  await expect(writing.import([ranges, bad])).rejects.toThrow(
    /^line 3 of pairs\.csv .*SecondDxHistologyGroup/,
  )
  expect(await result(reading)).toBe('SINGLE_PRIMARY')
  await writing.import([ranges])
  expect(await result(reading)).toBe('MULTIPLE_PRIMARIES')
  await one.close()
  await other.close()
})

test('a batch under way ends with the tables that it began with', async () => {
  const pair = { input1: hodgkin('9650', '1996'), input2: hodgkin('9667', '1998') }
  const line = Buffer.from(`${JSON.stringify(pair)}\n`)
  const ranges = await file('ranges.csv', RANGES, LYMPHOMA)
  async function* lines() {
    yield line
    await primaries.import([ranges])
    yield line
  }
  await using stream = await primaries.compareLines(lines())
  const answers = (await text(stream.body)).trimEnd().split('\n')
  expect(answers.map((one) => JSON.parse(one).result)).toEqual(['SINGLE_PRIMARY', 'SINGLE_PRIMARY'])
  expect(await result()).toBe('MULTIPLE_PRIMARIES')
})

test.each([
  ['a file of another layout', [['a.csv', 'x,y', '1,2']], /a\.csv/],
  [
    'the same table twice',
    [
      ['a.csv', RANGES, LYMPHOMA],
      ['b.csv', RANGES, LYMPHOMA],
    ],
    /a\.csv.*b\.csv/,
  ],
  [
    'a code that is none',
    [['a.csv', RANGES, '9590,959,9591,9591,x']],
    /^line 2 of a\.csv .*HistologyHigh/,
  ],
  ['a pair of a group that is none', [['a.csv', GROUP_PAIRS, '1,1', '1,777']], /a\.csv.*777/],
  ['groups without one that pairs name', [['a.csv', GROUPS, '1,9590,9590,x']], /a\.csv/],
] as const)('%s is refused', async (_, files, message) => {
  const paths = await Promise.all(files.map(([name, ...lines]) => file(name, ...lines)))
  const refused = primaries.import(paths)
  await expect(refused).rejects.toMatchObject({ code: 'bad_input' })
  await expect(refused).rejects.toThrow(message)
})

test('a file that is not there, is a folder or is no text is refused', async () => {
  const missing = primaries.import([join(folder, 'none.csv')])
  await expect(missing).rejects.toMatchObject({
    code: 'not_found',
    message: expect.stringMatching(/^there is no file or folder ".*none\.csv"; give/),
  })
  await mkdir(join(folder, 'folder.csv'))
  await expect(primaries.import([join(folder, 'folder.csv')])).rejects.toMatchObject({
    code: 'bad_input',
    message: expect.stringMatching(/folder\.csv" is a folder; give the path of a file$/),
  })
  const path = join(folder, 'bytes.csv')
  await writeFile(path, Buffer.from([0xff, 0xfe]))
  await expect(primaries.import([path])).rejects.toThrow(
    '"bytes.csv" is not taken: it is text in UTF-16; save it as UTF-8',
  )
})
