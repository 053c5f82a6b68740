import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { inlineExecutor } from '../../shared/executor.ts'
import { Dictionary, OWN_DICTIONARY } from './dictionary.ts'
import { issueText } from './issues.ts'
import { LoadedDictionary } from './loaded-dictionary.ts'
import { METASCHEMA } from './resolve.ts'

const place = mkdtempSync(join(tmpdir(), 'casemill-dictionary-'))
afterAll(() => rmSync(place, { recursive: true }))

let folders = 0
function folderOf(files: Readonly<Record<string, string | Buffer>>): string {
  const folder = join(place, String(folders++))
  mkdirSync(folder)
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text)
  return folder
}

const HEAD = `
type: object
category: clinical
additionalProperties: false
submittable: true
systemProperties: [id]
uniqueKeys: [[id], [name]]
`
const THING = `id: thing${HEAD}
links: []
required: [name]
properties:
  id: { type: string }
  type: { type: string }
  name: { $ref: _terms.yaml#/name, type: string }
  size:
    $ref: [_terms.yaml#/size, _terms.yaml#/large]
`
const TERMS = `
name: { description: What it is called. }
size: { description: How large it is. }
large: { enum: [S, M, L] }
`
const PART = `id: part${HEAD}
links:
  - exclusive: true
    required: true
    subgroup:
      - { name: things, backref: parts, label: of, target_type: thing, multiplicity: many_to_one, required: false }
properties:
  $ref: _groups.yaml#/both
  name: { type: string, pattern: '^a{,2}$' }
  things: { type: object }
`
const GROUPS = `
both:
  id: { type: string }
  type: { type: string }
  name: { description: Of the group., enum: [a, b] }
`
const GOOD = {
  'thing.yaml': THING,
  'part.yaml': PART,
  '_terms.yaml': TERMS,
  '_groups.yaml': GROUPS,
  'notes.txt': 'no part of it',
}

const load = (files: Readonly<Record<string, string | Buffer>>) =>
  Dictionary.load(folderOf(files), inlineExecutor)

async function issuesOf(files: Readonly<Record<string, string | Buffer>>): Promise<string> {
  const issues = await Dictionary.issuesOf(folderOf(files), inlineExecutor)
  return issues.map(issueText).join('\n')
}

test('a dictionary of one’s own is read in the form that documents are validated by', async () => {
  const { types } = await load(GOOD)
  expect([...types.keys()]).toEqual(['part', 'thing'])
  const [thing, part] = [types.get('thing'), types.get('part')]
  expect(thing?.properties.get('size')?.values).toEqual(new Set(['S', 'M', 'L']))
  expect(thing?.uniqueKeys).toEqual([['id'], ['name']])
  expect(part?.groups[0]?.links[0]).toBe(part?.links.get('things'))
  expect(part?.links.get('things')).toMatchObject({ target: 'thing', multiplicity: 'many_to_one' })
})

test('submission.md 5: what is referred to overrides what stands beside it, a group as a whole', async () => {
  const { types } = await load(GOOD)
  const name = types.get('part')?.properties.get('name')
  expect(name?.values).toEqual(new Set(['a', 'b']))
  expect(name?.pattern).toBeUndefined()
  expect(types.get('thing')?.schema.properties).toMatchObject({
    name: { description: 'What it is called.', type: 'string' },
    size: { description: 'How large it is.', enum: ['S', 'M', 'L'] },
  })
})

test('a repetition without a lower bound counts from none', async () => {
  const part = PART.replace('  $ref: _groups.yaml#/both\n', '  id: {}\n  type: {}\n')
  const { types } = await load({ ...GOOD, 'part.yaml': part })
  const pattern = types.get('part')?.properties.get('name')?.pattern
  expect(pattern?.text).toBe('^a{,2}$')
  expect(['', 'aa', 'aaa'].map((text) => pattern?.expression.test(text))).toEqual([
    ...[true, true, false],
  ])
})

/** Changes to a valid dictionary, and the problem that each is reported as. */
const BAD: readonly (readonly [string, keyof typeof GOOD, string, string, string])[] = [
  [
    'a link to no type',
    'part.yaml',
    'target_type: thing',
    'target_type: thng',
    'part.yaml: links: link things leads to thng; use the name of an entity type',
  ],
  [
    'a multiplicity',
    'part.yaml',
    'many_to_one',
    'one_to_few',
    'part.yaml: links[0].subgroup[0].multiplicity: is "one_to_few"; use one of one_to_one, one_to_many, many_to_one, many_to_many',
  ],
  [
    'a link that is no property',
    'part.yaml',
    '  things: { type: object }\n',
    '',
    'part.yaml: links[0].subgroup[0].name: is things; use the name of a property of the type',
  ],
  [
    'a keyword of a property',
    'thing.yaml',
    'id: { type: string }',
    'id: { type: string, length: 3 }',
    'thing.yaml: properties.id.length: is no keyword; use some of type, enum,',
  ],
  [
    'a keyword of a type',
    'thing.yaml',
    'links: []',
    'links: []\nlinkz: []',
    'thing.yaml: linkz: is no keyword; use some of $schema, id,',
  ],
  [
    'a keyword of a link',
    'part.yaml',
    'label: of',
    'label: of, lable: of',
    'part.yaml: links[0].subgroup[0].lable: is no keyword',
  ],
  [
    'a required name',
    'thing.yaml',
    'required: [name]',
    'required: [nam]',
    'thing.yaml: required: names nam; use names of properties of the type',
  ],
  [
    'a unique key',
    'thing.yaml',
    '[name]]',
    '[nam]]',
    'thing.yaml: uniqueKeys[1]: names nam; use names of properties of the type',
  ],
  [
    'an id',
    'thing.yaml',
    'id: thing',
    'id: thingy',
    'thing.yaml: id: is not what the file is called; use thing',
  ],
  [
    'a kind',
    'thing.yaml',
    'id: { type: string }',
    'id: { type: text }',
    'thing.yaml: properties.id.type: is "text"; use one of array, boolean,',
  ],
  [
    'a pattern',
    'thing.yaml',
    'id: { type: string }',
    'id: { pattern: "(" }',
    'thing.yaml: properties.id.pattern: is no regular expression',
  ],
  [
    'an empty enumeration',
    'thing.yaml',
    'id: { type: string }',
    'id: { enum: [] }',
    'thing.yaml: properties.id.enum: is empty; give at least one value',
  ],
  [
    'a repeated value',
    'thing.yaml',
    'id: { type: string }',
    'id: { enum: [a, a] }',
    'thing.yaml: properties.id.enum: has a value several times',
  ],
  [
    'a name',
    'thing.yaml',
    '  id: { type: string }',
    '  id: {}\n  "a.b": {}',
    'thing.yaml: properties.a.b: is no name; use small letters',
  ],
  [
    'a lacking property',
    'thing.yaml',
    '  type: { type: string }\n',
    '',
    'thing.yaml: properties: lacks type; add it',
  ],
  ['a lacking list', 'thing.yaml', 'links: []\n', '', 'thing.yaml: links: is missing; give a list'],
  [
    'open documents',
    'thing.yaml',
    'additionalProperties: false',
    'additionalProperties: true',
    'thing.yaml: additionalProperties: must be false',
  ],
  [
    'a reference to nothing',
    'thing.yaml',
    '_terms.yaml#/size',
    '_terms.yaml#/sise',
    'thing.yaml: properties.size.$ref: there is no _terms.yaml#/sise',
  ],
  [
    'a reference to another folder',
    'thing.yaml',
    '_terms.yaml#/size',
    '../_terms.yaml#/size',
    'thing.yaml: properties.size.$ref: "../_terms.yaml#/size" is no reference; use a text such as',
  ],
  [
    'a reference to a text',
    'thing.yaml',
    '_terms.yaml#/size',
    '_terms.yaml#/size/description',
    'is no mapping',
  ],
  [
    'a circle',
    '_terms.yaml',
    '{ description: How large it is. }',
    '{ $ref: "#/round" }\nround: { $ref: "#/size" }',
    'refers to itself',
  ],
  [
    'a repeated member',
    'thing.yaml',
    'links: []',
    'links: []\nlinks: []',
    'thing.yaml: cannot be read as plain YAML 1.2 in UTF-8: Map keys must be unique',
  ],
  [
    'an unknown tag',
    'thing.yaml',
    'links: []',
    'links: !!js/function []',
    'thing.yaml: cannot be read as plain YAML',
  ],
  [
    'no number of JSON',
    'thing.yaml',
    'id: { type: string }',
    'id: { minimum: .inf }',
    'thing.yaml: properties.id.minimum: Infinity is no number of JSON',
  ],
]

test.each(BAD)(
  '%s: what is wrong is reported with file and place',
  async (_, file, good, bad, message) => {
    const text = GOOD[file].replace(good, bad)
    expect(text).not.toBe(GOOD[file])
    expect(await issuesOf({ ...GOOD, [file]: text })).toContain(message)
  },
)

test('the first issue is thrown, all of them can be asked for', async () => {
  const text = GOOD['thing.yaml'].replace('links: []', 'links: 1').replace('object', 'list')
  const folder = folderOf({ ...GOOD, 'thing.yaml': text })
  const loaded = new LoadedDictionary(inlineExecutor, folder)
  await expect(loaded.current()).rejects.toMatchObject({
    code: 'bad_input',
    message:
      'dictionary: thing.yaml: type: is "list"; use one of object (and 1 more; see casemill check)',
  })
  expect(await loaded.issues()).toHaveLength(2)
})

test('what is corrected is read at the next try, and then cached', async () => {
  const folder = folderOf({ ...GOOD, 'thing.yaml': 'id: other' })
  const loaded = new LoadedDictionary(inlineExecutor, folder)
  await expect(loaded.current()).rejects.toThrow('thing.yaml')
  writeFileSync(join(folder, 'thing.yaml'), GOOD['thing.yaml'])
  const [first, second] = await Promise.all([loaded.current(), loaded.current()])
  expect(first).toBe(second)
})

test('folders that hold no dictionary are reported as such', async () => {
  expect(await issuesOf({})).toContain('the folder has 0 files .yaml; use 1 to 1000')
  expect(await issuesOf({ '_terms.yaml': TERMS })).toContain('no entity type; add its file')
  const issues = await Dictionary.issuesOf(join(place, 'nowhere'), inlineExecutor)
  expect(issues.map(issueText)).toEqual([
    'the folder cannot be read (ENOENT); use one with a file for each type',
  ])
})

// Without limits, each of these would exhaust memory or the stack.
const doubling = (link: (i: number) => string, levels: number) =>
  Array.from({ length: levels }, (_, i) => link(i)).join('\n')

test.each([
  ['aliases', doubling((i) => `a${i}: &a${i} [${i ? `*a${i - 1}, *a${i - 1}` : 'x'}]`, 40)],
  [
    'references',
    doubling(
      (i) => `a${i}: ${i ? `{x: {$ref: "#/a${i - 1}"}, y: {$ref: "#/a${i - 1}"}}` : '{x: 1}'}`,
      40,
    ),
  ],
  [
    'chains of references',
    doubling((i) => `a${i}: ${i ? `{x: {$ref: "#/a${i - 1}"}}` : '{x: 1}'}`, 100),
  ],
  ['nested lists', `a: ${'['.repeat(30_000)}`],
  ['nested mappings', `a: ${'{a: '.repeat(100)}1${'}'.repeat(100)}`],
  ['large files', 'a: 1\n'.padEnd((8 << 20) + 1, '#')],
  ['bytes that are no text', Buffer.from([0x61, 0x3a, 0x20, 0xff])],
])('%s are an error', async (_, text) => {
  expect(await issuesOf({ ...GOOD, '_bomb.yaml': text })).toContain('_bomb.yaml')
})

test("the project's own dictionary has nothing wrong, and its schemas the form that it describes", async () => {
  expect(await Dictionary.issuesOf(OWN_DICTIONARY, inlineExecutor)).toEqual([])
  const own = await Dictionary.load(OWN_DICTIONARY, inlineExecutor)
  const metaschema = own.entry(METASCHEMA) as { properties: object; required: string[] }
  const known = Object.keys(metaschema.properties)
  for (const { schema } of own.types.values()) {
    expect(Object.keys(schema).filter((keyword) => !known.includes(keyword))).toEqual([])
    expect(metaschema.required.filter((keyword) => !Object.hasOwn(schema, keyword))).toEqual([])
  }
})
