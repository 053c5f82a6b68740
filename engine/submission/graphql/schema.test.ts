import { validateSchema } from 'graphql'
import { expect, test } from 'vitest'
import { inlineExecutor } from '../../shared/executor.ts'
import { Dictionary, OWN_DICTIONARY } from '../dictionary/dictionary.ts'
import { type GraphModel, type GraphType, graphModel, type Neighbour } from './model.ts'
import { pathPlans } from './path-steps.ts'
import { makeSchema } from './schema.ts'

const dictionary = await Dictionary.load(OWN_DICTIONARY, inlineExecutor)

test('the schema of our own dictionary has nothing that GraphQL does not allow', () => {
  const model = graphModel(dictionary)
  expect(model.types.size).toBe(dictionary.types.size)
  expect(validateSchema(makeSchema(model))).toEqual([])
})

test('every property, link and link from children of the dictionary has a field', () => {
  const fields = makeSchema(graphModel(dictionary)).getTypeMap()
  for (const { name, properties, links } of dictionary.types.values()) {
    const own = fieldsOf(fields[name])
    for (const property of properties.keys()) expect(own).toContain(property)
    for (const link of links.keys()) expect(own).toContain(`_${link}_count`)
    for (const { target, backref } of links.values()) {
      expect(fieldsOf(fields[target])).toContain(`_${backref}_count`)
    }
  }
})

test('names that GraphQL does not have, or that mean something else, are left out', () => {
  const some = dictionary.types.get('case')
  const odd = ['a-b', '1a', 'Node', 'viewer', '__a', 'TransactionLog', 'fine']
  const types = new Map(odd.map((name) => [name, { ...some, name }]))
  const model = graphModel({ types } as unknown as Dictionary)
  expect([...model.types.keys()]).toEqual(['fine'])
  expect(validateSchema(makeSchema(model))).toEqual([])
})

test('paths lead up alone or down alone, never to cases and back, nor past an annotation', () => {
  const links = {
    sample: ['case'],
    bam: ['sample'],
    workflow: ['bam'],
    slide: ['workflow'],
    annotation: ['sample'],
    note: ['annotation'],
  }
  const categories = {
    case: 'administrative',
    sample: 'biospecimen',
    bam: 'data_file',
    slide: 'biospecimen',
  }
  const model = modelOf(links, categories)
  const ends = (from: string) =>
    [...model.types.keys()].filter((to) => pathPlans(model, from, to).length > 0)
  // A slide is closer to cases than the files on any other path.
  expect(ends('case')).toEqual(['sample', 'bam', 'workflow', 'annotation'])
  expect(ends('slide')).toEqual(['workflow'])
  expect(ends('note')).toEqual(['annotation'])
  expect(ends('workflow')).toEqual(['case', 'sample', 'bam', 'slide'])
})

function modelOf(
  links: Readonly<Record<string, readonly string[]>>,
  categories: Readonly<Record<string, string>>,
): GraphModel {
  const names = new Set(Object.entries(links).flatMap(([child, parents]) => [...parents, child]))
  const edges = Object.entries(links).flatMap(([child, parents]) =>
    parents.map((parent) => ({ child, parent })),
  )
  const types = [...names].map((name): GraphType => {
    const up = edges.filter(({ child }) => child === name)
    const down = edges.filter(({ parent }) => parent === name)
    return {
      name,
      category: categories[name] ?? 'other',
      origin: 'entity',
      description: '',
      properties: new Map(),
      descriptions: new Map(),
      neighbours: new Map([
        ...up.map(({ parent }) => neighbour('parents', parent, parent)),
        ...down.map(({ child }) => neighbour('children', child, name)),
      ]),
    }
  })
  return { types: new Map(types.map((type) => [type.name, type])), entries: new Map() }
}

function neighbour(
  side: Neighbour['side'],
  type: string,
  link: string,
): readonly [string, Neighbour] {
  return [type, { field: type, side, type, link }]
}

function fieldsOf(type: unknown): readonly string[] {
  return Object.keys((type as { getFields(): object }).getFields())
}
