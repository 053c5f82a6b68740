import { text } from 'node:stream/consumers'
import { describe, expect, test } from 'vitest'
import type { VersionContent } from '../../engine/registry/staging/algorithm/model.ts'
import { codebook } from '../../engine/registry/staging/store/codebook.ts'
import { randomFrom } from '../../fixtures/random.ts'
import { available } from '../available.ts'
import { depth } from '../depth.ts'
import { lists, oneOf, pick } from './support/cell-reader.ts'
import { ENGINES } from './support/staging-engines.ts'
import { readAlgorithm } from './support/staging-vectors.ts'

// The table of a version is read as by a user: by its columns only, with an independent reader of cells. The
// expected results are those of the lookup and of judging codes, which are tested with the original library's
// vectors.

const NAMES = ['cs', 'tnm', 'eod_public', 'pediatric', 'testing'] as const

type Row = Readonly<Record<string, string>>

async function rowsOf(content: VersionContent): Promise<Row[]> {
  const table = await text(codebook(content, { format: 'tsv' }).body)
  const [head = '', ...lines] = table.slice(0, -1).split('\n')
  const columns = head.split('\t')
  return lines.map((line) => {
    const cells = line.split('\t')
    if (cells.length !== columns.length) throw new Error(`a line of other columns: ${line}`)
    return Object.fromEntries(columns.map((column, i) => [column, cells[i] ?? '']))
  })
}

/** Whether one of the rows lists a value; most rows list only one. */
function listedBy(rows: readonly Row[]): (value: string) => boolean {
  const cells = rows.map(({ code = '' }) => code)
  const alone = new Set(cells.filter((cell) => /^\w*$/.test(cell)))
  const others = cells.filter((cell) => !alone.has(cell))
  return (value) => alone.has(value) || others.some((cell) => lists(cell, value))
}

/** The rows of a version by their kind, and the values that a case may have. */
async function bookOf(name: string) {
  const content = await readAlgorithm(name)
  const rows = await rowsOf(content)
  const of = (part: string) => rows.filter((row) => row.part === part)
  const keys = Object.keys(rows[0] ?? {}).flatMap((column) =>
    column.startsWith('by_') ? [column.slice('by_'.length)] : [],
  )
  const codes = Map.groupBy(of('code'), ({ item = '' }) => item)
  const cellsOf = (key: string) => [...new Set((codes.get(key) ?? []).map(({ code = '' }) => code))]
  return { of, keys, cellsOf, content }
}

function bookOnce(name: string) {
  let book: ReturnType<typeof bookOf> | undefined
  return () => {
    book ??= bookOf(name)
    return book
  }
}

describe.skipIf(!available.shared).each(NAMES)('the codebook of %s', (name) => {
  const book = bookOnce(name)

  test('a case that a row of it describes has exactly the schema of the row', async () => {
    const { of, keys, cellsOf, content } = await book()
    const { lookup } = ENGINES['the compiled engine'](content)
    const [isSite, isHistology] = [listedBy(of('site')), listedBy(of('histology'))]
    const random = randomFrom(24, 1)
    const selections = of('selection')
    const wrong: unknown[] = []
    let asked = 0
    while (asked < depth(300, 2000, 100_000)) {
      const row = pick(selections, random)
      const site = oneOf(row.sites ?? '', random)
      const hist = oneOf(row.histologies ?? '', random)
      // Ranges of a selection include codes that do not exist.
      if (!isSite(site) || !isHistology(hist)) continue
      const by = keys.flatMap((key) => {
        const cell = row[`by_${key}`] ?? ''
        const cells = cell === '*' ? cellsOf(key) : [cell]
        return [[key, oneOf(pick(cells, random), random)] as const]
      })
      const input = { site, hist, ...Object.fromEntries(by) }
      asked++
      const found = lookup(input)
      if (found.length !== 1 || found[0] !== row.schema) wrong.push([row.schema, input, found])
    }
    expect(wrong.slice(0, 5)).toEqual([])
  })

  test('of any site, histology and other inputs it says what the lookup answers', async () => {
    const { of, keys, cellsOf, content } = await book()
    const { lookup } = ENGINES['the compiled engine'](content)
    const random = randomFrom(24, 2)
    const [sites, histologies, selections] = [of('site'), of('histology'), of('selection')]
    const [isSite, isHistology] = [listedBy(sites), listedBy(histologies)]
    const counts = new Map<number, number>()
    for (let i = 0; i < depth(300, 2000, 100_000); i++) {
      const near = pick(selections, random)
      const codeOf = (all: readonly Row[], cell = '') =>
        random.chance(0.5) ? oneOf(cell, random) : oneOf(pick(all, random).code ?? '', random)
      const [site, hist] = [codeOf(sites, near.sites), codeOf(histologies, near.histologies)]
      const by = keys.flatMap((key) => {
        if (random.chance(0.3)) return []
        const cell = near[`by_${key}`] ?? '*'
        const own = cell !== '*' && random.chance(0.5) ? [cell] : cellsOf(key)
        return [[key, oneOf(pick(own, random), random)] as const]
      })
      const input = { site, hist, ...Object.fromEntries(by) }
      const told = selections.filter(
        (row) =>
          lists(row.sites ?? '', site) &&
          lists(row.histologies ?? '', hist) &&
          by.every(([key, value]) => lists(row[`by_${key}`] ?? '', value)),
      )
      const wanted =
        isSite(site) && isHistology(hist)
          ? [...new Set(told.map(({ schema }) => schema))].sort()
          : []
      expect(lookup(input), JSON.stringify(input)).toEqual(wanted)
      counts.set(wanted.length, (counts.get(wanted.length) ?? 0) + 1)
    }
    expect([...counts.keys()]).toEqual(expect.arrayContaining([0, 1]))
  })

  test('an input accepts the codes that it lists, and no others', async () => {
    const { of, content } = await book()
    const engine = ENGINES['the compiled engine'](content)
    const codes = of('code').filter(({ when }) => when === '')
    const bySchema = Map.groupBy(codes, ({ schema, item }) => `${schema} ${item}`)
    const items = [...bySchema.values()]
    const random = randomFrom(24, 3)
    const counts = { accepted: 0, refused: 0 }
    for (let i = 0; i < depth(1000, 10_000, 200_000); i++) {
      const [own, other] = [pick(items, random), pick(items, random)]
      const { code = '' } = pick(random.chance(0.5) ? own : other, random)
      const value = code === '*' ? '9' : oneOf(code, random)
      const [{ schema = '', item = '' } = {}] = own
      const isAccepted = own.some((row) => lists(row.code ?? '', value))
      expect(engine.isCodeValid(schema, item, value), JSON.stringify([schema, item, value])).toBe(
        isAccepted,
      )
      counts[isAccepted ? 'accepted' : 'refused']++
    }
    expect(counts.accepted).toBeGreaterThan(100)
    expect(counts.refused).toBeGreaterThan(100)
  })

  test('every input and output of every schema is in it, with its NAACCR item', async () => {
    const { of, content } = await book()
    for (const [part, member] of [
      ['input', 'inputs'],
      ['output', 'outputs'],
    ] as const) {
      const told = of(part).map((row) => [row.schema, row.item, row.naaccr_item, row.naaccr_xml_id])
      const wanted = [...content.schemas.values()]
        .sort((a, b) => (a.id < b.id ? -1 : 1))
        .flatMap((schema) =>
          (schema[member] ?? []).map(({ key, naaccr_item = '', naaccr_xml_id = '' }) => [
            ...[schema.id, key, String(naaccr_item), naaccr_xml_id],
          ]),
        )
      expect(told).toEqual(wanted)
    }
  })
})
