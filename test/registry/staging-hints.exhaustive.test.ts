import { describe, expect, test } from 'vitest'
import { CompiledVersion } from '../../engine/registry/staging/algorithm/compiled-version.ts'
import { lookupSchemas } from '../../engine/registry/staging/algorithm/lookup.ts'
import type { VersionContent } from '../../engine/registry/staging/algorithm/model.ts'
import type { InputMap, StagingData } from '../../engine/registry/staging/algorithm/result.ts'
import { stage } from '../../engine/registry/staging/algorithm/stage.ts'
import { randomFrom } from '../../fixtures/random.ts'
import { available } from '../available.ts'
import { depth, sample } from '../depth.ts'
import { oneOf, pick } from './support/cell-reader.ts'
import { YEAR } from './support/staging-engines.ts'
import { type Recorded, readAlgorithm, readVectors } from './support/staging-vectors.ts'

const NAMES = ['cs', 'tnm', 'eod_public', 'pediatric'] as const
type Staged = Extract<Recorded, { readonly op: 'stage' }>

const compiled = (content: VersionContent) => new CompiledVersion(content, { yearNow: () => YEAR })
const inputsOf = (name: string) =>
  readVectors<Staged>(`peer-${name}-stage.jsonl.gz`).flatMap((row) =>
    row.op === 'stage' ? [row.input] : [],
  )

interface Failing {
  readonly input: InputMap
  readonly table: string
  readonly outputs: readonly string[]
  readonly output: StagingData['output']
  /** If a row caused an error: the row, and the columns. */
  readonly row?: number | undefined
  readonly columns?: readonly string[] | undefined
}

/** The version changed so that the table answers with another row instead of the error. */
function answering(
  content: VersionContent,
  { table: id, row, columns }: Failing,
  other: number,
): VersionContent {
  const table = content.tables.get(id)
  if (!table) throw new Error(`there is no table ${id}`)
  const cells = table.definition.map(({ type, key = '' }, place) => {
    if (row !== undefined && !columns?.includes(key)) return table.rows[row]?.[place] ?? null
    if (type === 'INPUT') return '*'
    const cell = table.rows[other]?.[place] ?? ''
    return cell.startsWith('ERROR') ? 'VALUE:other' : cell
  })
  const rows = row === undefined ? [...table.rows, cells] : table.rows.with(row, cells)
  const tables = new Map(content.tables)
  tables.set(id, { ...table, rows })
  return { ...content, tables }
}

function different(a: StagingData['output'], b: StagingData['output']): string[] {
  return [...new Set([...Object.keys(a), ...Object.keys(b)])].filter((key) => a[key] !== b[key])
}

describe.skipIf(!available.shared).each(NAMES)('hints on cases of %s', (name) => {
  test('but for what was asked for, the answer is the same', async () => {
    const version = compiled(await readAlgorithm(name))
    for (const input of sample(inputsOf(name), 50, 700)) {
      const told = stage(version, input, { hints: true, naaccr: true })
      const { hints, naaccr: _names, errors, ...rest } = told
      expect(hints).toBeDefined()
      const plain = { ...rest, errors: errors.map(({ outputs: _outputs, ...error }) => error) }
      expect(plain).toEqual(stage(version, input))
    }
  })

  // The outputs withheld because of an error are determined by making its table answer: no other output may change.
  test('the outputs of an error are those that another answer of its table could change', async () => {
    const content = await readAlgorithm(name)
    const version = compiled(content)
    const random = randomFrom(24, 4)
    const failing = inputsOf(name).flatMap((input): Failing[] => {
      const { errors, path, output, explain } = stage(version, input, {
        hints: true,
        explain: true,
      })
      return errors.flatMap(({ type, table, columns, outputs = [] }) => {
        if (table === undefined || (type !== 'MATCH_NOT_FOUND' && type !== 'STAGING_ERROR'))
          return []
        // If a table is used twice, both uses would be changed.
        const looks = path.filter((one) => one.endsWith(`.${table}`) || one === table)
        if (looks.length !== 1) return []
        const visit = explain?.find(
          (one) => one.table === table && (one.purpose === 'path' || one.purpose === 'jump'),
        )
        return [{ input, table, outputs, output, row: visit?.row, columns }]
      })
    })
    const chosen = sample(failing, 10, 40)
    let changed = 0
    let told = 0
    for (const one of chosen) {
      const { input, table, outputs, output } = one
      const row = random.below(content.tables.get(table)?.rows.length ?? 0)
      const other = stage(compiled(answering(content, one, row)), input).output
      const changes = different(output, other)
      const unexpected = changes.filter((key) => !outputs.includes(key))
      expect(unexpected, JSON.stringify([table, row, outputs])).toEqual([])
      changed += changes.length > 0 ? 1 : 0
      told += outputs.length
    }
    process.stdout.write(
      `${name}: ${chosen.length} of ${failing.length} errors, ${changed} of them change outputs, ${told} told\n`,
    )
    if (chosen.length > 20) expect(changed).toBeGreaterThan(chosen.length / 3)
  })

  test('where several schemas are left, each is reached by what it is told to need', async () => {
    const content = await readAlgorithm(name)
    const version = compiled(content)
    const random = randomFrom(24, 5)
    const codes = (key: string, hints: StagingData['hints']) =>
      hints?.discriminators?.find((one) => one.key === key)?.codes?.map(({ code }) => code) ?? []
    const pairs = ambiguousPairs(content, version)
    let asked = 0
    for (let i = 0; i < depth(100, 500, 20_000); i++) {
      const [site, hist] = pick(pairs, random)
      const { hints, result } = stage(version, { site, hist }, { hints: true })
      expect(result).toBe('FAILED_MULITPLE_MATCHING_SCHEMAS')
      const schemas = hints?.schemas ?? []
      expect([...new Set(schemas.map(({ schema }) => schema))].sort()).toEqual(
        lookupSchemas(version, { site, hist }),
      )
      const choice = pick(schemas, random)
      const keys = (hints?.discriminators ?? []).map(({ key }) => key)
      const by = keys.map((key) => {
        const cell = choice.by[key] ?? '*'
        const value =
          cell === '*' ? oneOf(pick(codes(key, hints), random), random) : oneOf(cell, random)
        return [key, value] as const
      })
      const input: InputMap = { site, hist, ...Object.fromEntries(by) }
      expect(lookupSchemas(version, input), JSON.stringify(input)).toEqual([choice.schema])
      asked++
    }
    expect(asked).toBeGreaterThan(0)
  })

  test('NAACCR names are those of the inputs and outputs of the schema', async () => {
    const content = await readAlgorithm(name)
    const version = compiled(content)
    for (const input of sample(inputsOf(name), 50, 200)) {
      const { schema_id, output, naaccr } = stage(version, input, { naaccr: true })
      const schema = content.schemas.get(schema_id ?? '')
      if (!schema) {
        expect(naaccr).toBeUndefined()
        continue
      }
      for (const [items, values, names] of [
        [schema.inputs, input, naaccr?.input],
        [schema.outputs ?? [], output, naaccr?.output],
      ] as const) {
        for (const { key, naaccr_item, naaccr_xml_id, name: title } of items) {
          const wanted = JSON.parse(JSON.stringify({ naaccr_item, naaccr_xml_id, name: title }))
          const isNamed = key in values && Object.keys(wanted).length > 0
          expect(names?.[key]).toEqual(isNamed ? wanted : undefined)
        }
      }
    }
  })
})

/** Sites and histologies for which several schemas remain. */
function ambiguousPairs(content: VersionContent, version: CompiledVersion) {
  const random = randomFrom(24, 6)
  const pairs: (readonly [site: string, hist: string])[] = []
  const tables = [...content.schemas.values()].flatMap(
    ({ schema_selection_table: id }) => content.tables.get(id) ?? [],
  )
  for (let i = 0; i < 20_000 && pairs.length < 300; i++) {
    const { definition, rows } = pick(tables, random)
    const cells = pick(rows, random)
    const cellOf = (key: string) =>
      oneOf(cells[definition.findIndex((column) => column.key === key)] ?? '', random)
    const pair = [cellOf('site'), cellOf('hist')] as const
    if (lookupSchemas(version, { site: pair[0], hist: pair[1] }).length > 1) pairs.push(pair)
  }
  return pairs
}
