import fc from 'fast-check'
import { expect, test } from 'vitest'
import { CompiledVersion } from '../../engine/registry/staging/algorithm/compiled-version.ts'
import { addDefaults } from '../../engine/registry/staging/algorithm/defaults.ts'
import { findings } from '../../engine/registry/staging/algorithm/findings.ts'
import { lookupSchemas, schemaInfo } from '../../engine/registry/staging/algorithm/lookup.ts'
import { matchTable } from '../../engine/registry/staging/algorithm/match.ts'
import type { StagingSchema, StagingTable } from '../../engine/registry/staging/algorithm/model.ts'
import {
  parseInputMap,
  parseSchema,
  parseTable,
} from '../../engine/registry/staging/algorithm/parse.ts'
import { stage } from '../../engine/registry/staging/algorithm/stage.ts'
import {
  madeContent,
  madeSchema,
} from '../../engine/registry/staging/algorithm/support/made-version.ts'
import { checkSchema, checkTable } from '../../engine/registry/staging/algorithm/validate.ts'
import { atOnce } from '../../engine/shared/concurrency/at-once.ts'
import { EngineError } from '../../engine/shared/errors.ts'
import { depth } from '../depth.ts'
import { mutated, mutation } from './support/mutated-json.ts'

// A valid algorithm changed in any way is either rejected with the location of the error, or works.

const SEED = 32
const MUTATED = depth(2000, 2000, 5000)
const POSTED = depth(8000, 8000, 20_000)

const CONTENT = madeContent(
  [
    madeSchema({
      on_invalid_input: 'FAIL_WHEN_USED_FOR_STAGING',
      schema_discriminators: ['a'],
      initial_context: [{ key: 'tmp', value: '{{a}}' }],
      inputs: [
        { key: 'a', table: 'codes', default: '1', used_for_staging: true, metadata: ['OLD'] },
        { key: 'b', default_table: 'defaults' },
      ],
      outputs: [
        { key: 'out', table: 'seen', default: '' },
        { key: 'ver', default: '{{ctx_alg_version}}' },
      ],
      mappings: [
        {
          id: 'm',
          inclusion_tables: [{ id: 'year', input_mapping: [{ from: 'year_dx', to: 'year_dx' }] }],
          exclusion_tables: [{ id: 'never' }],
          initial_context: [{ key: 'out' }],
          tables: [
            {
              id: 't',
              input_mapping: [{ from: 'a', to: 'x' }],
              output_mapping: [{ from: 'r', to: 'out' }],
            },
            { id: 'last' },
          ],
        },
      ],
    }),
  ],
  {
    codes: {
      columns: ['INPUT a', 'DESCRIPTION d'],
      rows: [
        ['1-3', 'few'],
        ['9', 'all'],
      ],
    },
    defaults: {
      columns: ['INPUT a', 'ENDPOINT b'],
      rows: [
        ['1', 'VALUE:{{a}}'],
        ['*', 'VALUE:2'],
      ],
    },
    seen: { columns: ['INPUT out'], rows: [['1,2'], ['']] },
    never: { columns: ['INPUT site'], rows: [['C999']] },
    t: {
      columns: ['INPUT x', 'ENDPOINT r'],
      rows: [
        ['1', 'JUMP:u'],
        ['2', 'VALUE:2'],
        ['3', 'STOP'],
      ],
    },
    u: {
      columns: ['INPUT b', 'ENDPOINT r'],
      rows: [
        ['1', 'VALUE:1'],
        ['*', 'ERROR:'],
      ],
    },
    last: { columns: ['ENDPOINT end'], rows: [['MATCH']] },
  },
)
const CASES = ['1', '2', '3', '9', ' x ', '', null].map((a) => ({
  site: 'C000',
  hist: '8000',
  year_dx: '2020',
  a,
}))

/** The error of a rejected entity, or undefined if it is accepted. */
function rejectionOf(read: () => void): EngineError | undefined {
  try {
    read()
    return undefined
  } catch (error) {
    if (error instanceof EngineError) return error
    throw error
  }
}

/** Uses a version in every way; only a case with too many tables may fail. */
function tryOut(schema: StagingSchema, table: StagingTable): void {
  const content = {
    ...CONTENT,
    schemas: new Map([[schema.id, schema]]),
    tables: new Map(CONTENT.tables).set(table.id, table),
  }
  const version = new CompiledVersion(content, { yearNow: () => '2026' })
  version.fill()
  for (const finding of atOnce(findings(content))) expect(finding.message).not.toBe('')
  version.derivation.completeSchema(schema)
  version.derivation.completeTable(table)
  schemaInfo(version, schema.id)
  for (const input of CASES) {
    expect(
      JSON.stringify(stage(version, input, { explain: true, hints: true, naaccr: true })),
    ).toContain('"result":')
    expect(lookupSchemas(version, input).length).toBeLessThanOrEqual(1)
    expect(addDefaults(version, schema.id, input)).toMatchObject({ site: 'C000' })
    matchTable(version, table.id, input)
  }
}

const [SCHEMA] = [...CONTENT.schemas.values()]
const TABLES = [...CONTENT.tables.values()]
const mutations = fc.array(mutation, { minLength: 1, maxLength: 2 })

test('a mutated schema or table is refused by its place, or runs', () => {
  if (!SCHEMA) throw new Error('there is a schema')
  const told = { refused: 0, run: 0 }
  const judge = (refusal: EngineError | undefined, run: () => void) => {
    if (!refusal) {
      run()
      told.run++
      return
    }
    told.refused++
    expect(refusal.code).toBe('bad_input')
    const place = refusal.at === '' ? 'the document' : `"${refusal.at}"`
    expect(refusal.message).toContain(place)
  }
  fc.assert(
    fc.property(mutations, fc.nat(TABLES.length - 1), (made, which) => {
      const table = TABLES[which]!
      const schemaJson = mutated(SCHEMA, made)
      const tableJson = mutated(table, made)
      judge(
        rejectionOf(() => checkSchema(parseSchema(schemaJson))),
        () => {
          tryOut(parseSchema(schemaJson), table)
        },
      )
      judge(
        rejectionOf(() => checkTable(parseTable(tableJson))),
        () => {
          tryOut(SCHEMA, parseTable(tableJson))
        },
      )
    }),
    { seed: SEED, numRuns: MUTATED },
  )
  expect(told.refused + told.run).toBe(2 * MUTATED)
  expect(Math.min(told.refused, told.run)).toBeGreaterThan(0.3 * MUTATED)
})

test('whatever is posted as a case is refused by its place, or answered', () => {
  const version = new CompiledVersion(CONTENT, { yearNow: () => '2026' })
  const told = { refused: 0, answered: 0 }
  const text = fc.oneof(
    fc.constantFrom('1', '2', 'C000', '8000', ' ', '\0', 'x'.repeat(20_000)),
    fc.string(),
  )
  const member = fc.oneof(
    { weight: 20, arbitrary: text },
    { weight: 1, arbitrary: fc.jsonValue({ maxDepth: 2 }) },
  )
  const keys = ['site', 'hist', 'year_dx', 'a', 'b', '__proto__', 'constructor', 'ctx_year_current']
  const body = fc.dictionary(fc.oneof(fc.constantFrom(...keys), fc.string()), member, {
    maxKeys: 6,
  })
  const posted = fc.oneof({ weight: 30, arbitrary: body }, { weight: 1, arbitrary: fc.jsonValue() })
  const usual = fc.constantFrom({}, { site: 'C000', hist: '8000' }, CASES[0])
  fc.assert(
    fc.property(posted, usual, (made, more) => {
      const isMap = typeof made === 'object' && made !== null && !Array.isArray(made)
      const json: unknown = JSON.parse(JSON.stringify(isMap ? { ...made, ...more } : made))
      const refusal = rejectionOf(() => {
        const input = parseInputMap(json)
        expect(stage(version, input).input).toBe(input)
        lookupSchemas(version, input)
        matchTable(version, 't', input)
        addDefaults(version, 'made', input)
      })
      if (refusal) expect(refusal.code).toBe('bad_input')
      told[refusal ? 'refused' : 'answered']++
    }),
    { seed: SEED, numRuns: POSTED },
  )
  expect(Math.min(told.refused, told.answered)).toBeGreaterThan(POSTED / 10)
})
