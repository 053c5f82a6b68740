import { describe, expect, test } from 'vitest'
import { inlineExecutor } from '../../engine/shared/executor.ts'
import { Dictionary, OWN_DICTIONARY } from '../../engine/submission/dictionary/dictionary.ts'
import { templateColumns, templateText } from '../../engine/submission/dictionary/templates.ts'
import { parseDocuments } from '../../engine/submission/transactions/parse-documents.ts'
import { parseTable } from '../../engine/submission/transactions/parse-table.ts'
import { available } from '../available.ts'
import { type Node, readPublished, readVector, type Schema } from './support/published.ts'

describe.skipIf(!available.shared)('the dictionary and the published facts', async () => {
  if (!available.shared) return
  const published = readPublished()
  const dictionary = await Dictionary.load(OWN_DICTIONARY, inlineExecutor)
  const names = Object.keys(published.nodes)

  test('it has the types that were published with their links, and no other', () => {
    expect([...dictionary.types.keys()].sort()).toEqual(names.toSorted())
    expect(names).toHaveLength(83)
  })

  test('only later changes without published links are left out', () => {
    const told = (one: readonly string[]) => one.join(' | ')
    const others = [
      ['3.1.0', 'germline_mutation_index', 'links are not published'],
      ['3.1.0', 'submitted_expression_array', 'links are not published'],
      ...['germline_mutation_indexes', 'submitted_expression_arrays'].map((name) => [
        ...['3.1.0', 'annotation', name, 'leads to a type without published links'],
      ]),
      [
        ...['3.1.0', 'rna_expression_workflow', 'submitted_expression_arrays'],
        'leads to a type without published links',
      ],
    ]
    expect(published.open.map(told).sort()).toEqual(
      [...published.listed, ...others].map(told).sort(),
    )
  })

  test.each(names)('%s has the facts, and every property is described', (name) => {
    const node = published.nodes[name] as Node
    const schema = dictionary.entry(name) as Node & Record<string, unknown>
    const linked = new Set(dictionary.types.get(name)?.links.keys())
    const { properties, templateColumns: _, required, ...facts } = node
    const { inSeed: __, ...wanted } = facts as typeof facts & { inSeed: boolean }
    expect(schema).toMatchObject(wanted)
    expect(schema.required ?? []).toEqual(required)
    expect(Object.keys(schema.properties).sort()).toEqual(Object.keys(properties).sort())
    for (const [property, facts] of Object.entries(properties)) {
      const served = schema.properties[property] as Schema
      expect(String(served.description)).toMatch(/^[A-Z0-9].+\.$/)
      if (facts.link) expect(linked).toContain(property)
      else expect([property, bare(served)]).toEqual([property, ordered(name, property, facts)])
    }
    expect(schema.description).toMatch(/^[A-Z].{10,}\.$/)
  })

  /**
   * The places of added values were not published. They follow the order of the lists: by name, with words for
   * unknown values last.
   */
  function ordered(name: string, property: string, facts: Schema): Schema {
    const listed = (schema: Schema | undefined) => schema?.enum ?? schema?.items?.enum ?? []
    const before = new Set(listed(published.before[name]?.properties[property]))
    const served = dictionary.types.get(name)?.properties.get(property)
    const values = [...(served?.values ?? served?.items?.values ?? [])] as string[]
    const wanted = listed(facts)
    const isCached = (value: string) => before.has(value) && wanted.includes(value)
    expect(values.filter(isCached)).toEqual([...before].filter(isCached))
    expect(values.toSorted()).toEqual(wanted.toSorted())
    if (facts.enum) return { ...facts, enum: values }
    return facts.items?.enum ? { ...facts, items: { ...facts.items, enum: values } } : facts
  }

  // 28_troubleshooting.json of the submission vectors was made with 4.0.3.
  test('values stand in the order of a published message', () => {
    const vector = readVector('28_troubleshooting.json') as {
      response: { entities: { errors: { message: string }[] }[] }
    }
    const [, told = ''] = /not one of (.+)$/.exec(
      vector.response.entities[0]?.errors[0]?.message ?? '',
    ) ?? ['']
    const property = dictionary.types.get('diagnosis')?.properties.get('gleason_grade_group')
    expect([...(property?.values ?? [])]).toEqual(JSON.parse(told.replaceAll("'", '"')))
  })

  const withTemplates = names.filter((name) => published.nodes[name]?.templateColumns)

  test.each(withTemplates)('the template of %s has the published columns', (name) => {
    const type = dictionary.types.get(name)
    if (!type) throw new Error('no such type')
    expect(templateColumns(dictionary, type)).toEqual(columnsAfter(name))
    const [header, row, rest] = templateText(dictionary, type, 'tsv').split('\r\n')
    expect(header?.split('\t')).toEqual(columnsAfter(name))
    expect(row?.split('\t')).toEqual([
      name,
      ...columnsAfter(name)
        .slice(1)
        .map(() => ''),
    ])
    expect(rest).toBe('')
  })

  // A publication has no submitter's name.
  const named = withTemplates.filter((name) => name !== 'publication')

  // Blank cells and remaining nulls count as absent (submission.md 8).
  test.each(named)('a filled JSON template of %s is what the filled table is', (name) => {
    const type = dictionary.types.get(name)
    if (!type) throw new Error('no such type')
    const filled = { ...JSON.parse(templateText(dictionary, type, 'json')), '*submitter_id': 'one' }
    const [header = '', row = ''] = templateText(dictionary, type, 'tsv').split('\r\n')
    const place = header.split('\t').indexOf('*submitter_id')
    const cells = row.split('\t').map((cell, i) => (i === place ? 'one' : cell))
    const table = `${header}\r\n${cells.join('\t')}\r\n`
    const document = { type: name, submitter_id: 'one' }
    expect(parseTable(table, '\t', dictionary.types)).toMatchObject([{ document }])
    expect(parseDocuments(JSON.stringify(filled))).toEqual([{ document }])
  })

  test('nulls of a document without stars stay, and so do those within lists', () => {
    const plain = { type: 'case', consent_type: null }
    expect(parseDocuments(JSON.stringify(plain))).toEqual([{ document: plain }])
    const starred = { type: 'case', '*submitter_id': 'one', projects: [null] }
    const document = { type: 'case', submitter_id: 'one', projects: [null] }
    expect(parseDocuments(JSON.stringify(starred))).toEqual([{ document }])
  })

  /** The published columns, changed as the release notes say: added, removed and required. */
  function columnsAfter(name: string): readonly string[] {
    const before = published.before[name] as Node
    const after = published.nodes[name] as Node
    const plain = (column: string) => column.replace('*', '')
    const columns = (before.templateColumns ?? []).filter((column) => {
      const [property = ''] = plain(column).split('.')
      return Object.hasOwn(after.properties, property)
    })
    const added = Object.keys(after.properties).filter(
      (property) => !Object.hasOwn(before.properties, property),
    )
    const isOwn = (column: string) => before.required.includes(plain(column))
    const lastFixed = columns.findLastIndex((column) => column.includes('.') || isOwn(column))
    const fixed = columns.slice(0, lastFixed + 1)
    const newlyRequired = added.filter((property) => after.required.includes(property))
    const optional = [...columns.slice(lastFixed + 1), ...added].filter(
      (property) => !newlyRequired.includes(property),
    )
    const requiredFrom = fixed.findLastIndex((column) => column.includes('.')) + 1
    return [
      ...fixed.slice(0, requiredFrom),
      ...[...fixed.slice(requiredFrom), ...newlyRequired.map((property) => `*${property}`)].sort(),
      ...optional.sort(),
    ]
  }

  /** Removes descriptions from a schema. */
  function bare(schema: unknown): unknown {
    if (Array.isArray(schema)) return schema.map(bare)
    if (typeof schema !== 'object' || schema === null) return schema
    const entries = Object.entries(schema).filter(([keyword]) => keyword !== 'description')
    return Object.fromEntries(entries.map(([keyword, value]) => [keyword, bare(value)]))
  }
})
