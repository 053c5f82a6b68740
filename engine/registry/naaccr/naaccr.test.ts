import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { gzipSync } from 'node:zlib'
import { pack } from 'tar-stream'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { madeZip } from '../../../fixtures/made-zip.ts'
import { newState, newStates } from '../../shared/support/new-state.ts'
import { Naaccr, type NaaccrFiles } from './naaccr.ts'

let folder: string
let naaccr: Naaccr
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'casemill-naaccr-'))
  naaccr = new Naaccr({ state: await newState() })
})
afterEach(() => rm(folder, { recursive: true, force: true }))

async function file(name: string, content: string | Uint8Array): Promise<string> {
  const path = join(folder, name)
  await writeFile(path, content)
  return path
}

const ONE = `<ItemDef naaccrId="oneItem" naaccrNum="10" naaccrName="One &amp; Only" length="3"
  recordTypes="A,M,C,I" parentXmlElement="Tumor" dataType="digits" padding="leftZero"/>`
const TWO =
  '<ItemDef naaccrId="twoItem" naaccrNum="2" naaccrName="Two" length="2" parentXmlElement="Patient"/>'

const dictionaryOf = (items: string, version = '250', more = '') =>
  `<?xml version="1.0"?><NaaccrDictionary naaccrVersion="${version}" ${more}
  dictionaryUri="http://naaccr.org/naaccrxml/naaccr-dictionary-${version || '250'}.xml"><ItemDefs>${items}
  </ItemDefs></NaaccrDictionary>`

const page = (number: string, more = '') => `<table class="naaccr-summary-table x">
<tr><th>Item #</th><th>Length</th><th>Version Implemented</th><th>Other</th></tr>
<tr><td>${number}</td><td>9</td><td>12.2</td><td>x</td></tr></table>
<strong>NAACCR XML</strong>: Tumor.x<br/>${more}`

const DESCRIBED = `<strong>Alternate Names</strong><br/>&nbsp;First &amp; last<br/>&nbsp;Second
<div class='content chap10-para-head'><strong>Description</strong></div>
<div class='content chap10-para'>
<p>What <b>it</b> is &lt; all.</p>
</div>
<div class='content chap10-para'><p>Beside the codes.</p></div>
<table><tr class='code-row'><td class='code-nbr' colspan='2'>Heading</td></tr>
<tr class='code-row'><td class='code-nbr'>0*</td><td class='code-desc'>Not &gt; 1<br/>or so</td></tr>
<tr><td class='code-nbr'>9</td><td class='code-desc'>in no row of codes</td></tr></table>`

async function pages(name: string, files: Readonly<Record<string, string>>): Promise<string> {
  const path = join(folder, name)
  await mkdir(path, { recursive: true })
  for (const [key, html] of Object.entries(files)) await file(join(name, `${key}.html`), html)
  return path
}

async function load(more: Omit<NaaccrFiles, 'dictionary'> = {}, items = `${ONE}${TWO}`) {
  const dictionary = await file('dictionary.xml', dictionaryOf(items))
  return naaccr.import({ dictionary, ...more })
}

describe('an item', () => {
  test('has what the dictionary says of it', async () => {
    expect(await load()).toEqual({
      version: '25',
      change: 'added',
      items: 2,
      retired: 0,
      withoutPage: 2,
      coded: 0,
      leftOut: [],
      dictionary: 'http://naaccr.org/naaccrxml/naaccr-dictionary-250.xml',
    })
    expect(await naaccr.item('25', 'oneItem')).toStrictEqual({
      item_number: '10',
      item_name: 'One & Only',
      item_data_type: 'digits',
      item_length: '3',
      xml_naaccr_id: 'oneItem',
      xml_parent_id: 'Tumor',
      record_types: ['A', 'C', 'I', 'M'],
    })
    expect(await naaccr.item('latest', '2')).toStrictEqual({
      item_number: '2',
      item_name: 'Two',
      item_data_type: 'text',
      xml_naaccr_id: 'twoItem',
      item_length: '2',
      xml_parent_id: 'Patient',
      record_types: ['A', 'C', 'I', 'M'],
    })
  })

  test('has what its page says, and the dictionary wins', async () => {
    const documentation = await pages('naaccr25', { oneItem: page('11', DESCRIBED) })
    expect(await load({ documentation })).toMatchObject({ withoutPage: 1, coded: 1 })
    expect(await naaccr.item('25', '10')).toMatchObject({
      item_number: '10',
      item_length: '3',
      version_implemented: '12.2',
      alternate_names: ['First & last', 'Second'],
      description: '<p>What <b>it</b> is &lt; all.</p>',
      allowed_codes: [{ code: '0*', description: 'Not > 1 or so' }],
    })
    expect(await naaccr.item('25', '10')).not.toHaveProperty('rationale')
  })

  test('has nothing but a page when it is retired', async () => {
    const documentation = await pages('naaccr25', { '99': page('99'), other: page('3') })
    expect(await load({ documentation })).toMatchObject({ items: 3, retired: 1 })
    expect(await naaccr.item('25', '99')).toStrictEqual({
      item_number: '99',
      item_length: '9',
      version_implemented: '12.2',
    })
    expect(await naaccr.list('25')).toEqual([
      { id: 'twoItem', item: '2', name: 'Two' },
      { id: 'oneItem', item: '10', name: 'One & Only' },
      { item: '99' },
    ])
  })

  test('has a section, codes of look-ups where its page has none, and given members', async () => {
    const members = 'item_number,item_name,date_created,format\n2,,2020-02-03,"a, b"\n10,Other,,\n'
    const report = await load({
      documentation: await pages('naaccr25', { oneItem: page('10', DESCRIBED) }),
      sections: await file('sections.csv', 'oneItem,1,Follow-up\nnobody,,Other\ntwoItem,2,\n'),
      lookups: await file(
        'lookups.zip',
        madeZip([
          { name: 'naaccr-lookups-250/', content: '' },
          { name: 'naaccr-lookups-250/oneItem.csv', content: '1,"of, look-ups"\n' },
          { name: 'naaccr-lookups-250/twoItem_preferredTermsOnly.csv', content: '1,"a, b"\n2,c\n' },
          { name: 'naaccr-lookups-250/large.csv', content: largeTable() },
        ]),
      ),
      members: await file('members.csv', members),
    })
    expect(report).toMatchObject({ coded: 2, leftOut: ['large.csv'] })
    expect(await naaccr.item('25', '10')).toMatchObject({
      item_name: 'Other',
      section: 'Follow-up',
      allowed_codes: [{ code: '0*' }],
    })
    const two = await naaccr.item('25', '2')
    expect(two).toMatchObject({
      item_name: 'Two',
      format: 'a, b',
      date_created: '2020-02-03T00:00:00.000Z',
      allowed_codes: [
        { code: '1', description: 'a, b' },
        { code: '2', description: 'c' },
      ],
    })
    expect(two).not.toHaveProperty('section')
  })

  test('is not imported strictly if a look-up table is too large', async () => {
    const dictionary = await file('dictionary.xml', dictionaryOf(`${ONE}${TWO}`))
    const tables = [
      { name: 'oneItem.csv', content: '1,one\n' },
      { name: 'large.csv', content: largeTable() },
    ]
    const lookups = await file('lookups.zip', madeZip(tables))
    const importing = naaccr.import({ dictionary, lookups }, { strict: true })
    await expect(importing).rejects.toMatchObject({ code: 'bad_input', at: 'lookups' })
    expect(await naaccr.versions()).toEqual([])
  })

  test.each(['threeItem', 'ONEITEM', '3', '010', '', '\0', "' OR 1=1"])(
    '%j is not there',
    async (key) => {
      await load()
      await expect(naaccr.item('25', key)).rejects.toMatchObject({ code: 'not_found' })
    },
  )
})

/** Returns half a megabyte that compresses too little to be rejected. */
const largeTable = () =>
  Array.from({ length: 40_000 }, (_, i) => `${i},${((i * 2654435761) >>> 0).toString(36)}\n`).join(
    '',
  )

describe('versions and lists', () => {
  test('the newest is the latest; others are refused', async () => {
    await expect(naaccr.list('latest')).rejects.toMatchObject({
      code: 'bad_input',
      message: expect.stringContaining('no version is imported'),
    })
    expect(await naaccr.versions()).toEqual([])
    await load()
    const modified = 'dateLastModified="2021-10-01T12:00:00-04:00"'
    await naaccr.import({ dictionary: await file('a.xml', dictionaryOf(TWO, '210', modified)) })
    expect(await naaccr.versions()).toStrictEqual([
      {
        version: '21',
        year_implemented: 2021,
        date_of_publication: '2021-10-01T16:00:00.000Z',
      },
      { version: '25', year_implemented: 2025 },
    ])
    expect(await naaccr.list('latest')).toHaveLength(2)
    expect(await naaccr.list('21')).toHaveLength(1)
    for (const version of ['24', '250', '', 'Latest', '\0']) {
      await expect(naaccr.list(version)).rejects.toMatchObject({
        code: 'bad_input',
        message: expect.stringContaining('21, 25, or latest'),
      })
      await expect(naaccr.item(version, '10')).rejects.toMatchObject({ code: 'not_found' })
    }
  })

  test('words, the version in which an item came, and a count', async () => {
    const documentation = await pages('naaccr25', { oneItem: page('10', DESCRIBED) })
    await load({ documentation })
    const found = async (request: object) =>
      (await naaccr.list('25', request)).map(({ item }) => item)
    expect(await found({ q: 'ITEM' })).toEqual(['2', '10'])
    expect(await found({ q: 'only one' })).toEqual(['10'])
    expect(await found({ q: 'first' })).toEqual(['10'])
    expect(await found({ q: 'one two' })).toEqual([])
    expect(await found({ q: '10' })).toEqual(['10'])
    expect(await found({ count: '1' })).toEqual(['2'])
    expect(await found({ versionImplemented: '12.2' })).toEqual(['10'])
    expect(await found({ versionImplemented: '12' })).toEqual([])
    for (const request of [{ count: '0' }, { count: '-1' }, { q: 'x '.repeat(600) }]) {
      await expect(naaccr.list('25', request)).rejects.toMatchObject({ code: 'bad_input' })
    }
  })
})

describe('a dictionary', () => {
  const URI = 'http://naaccr.org/naaccrxml/naaccr-dictionary-250.xml'
  const OWN = dictionaryOf(TWO).replace(
    /dictionaryUri="[^"]+"/,
    'dictionaryUri="http://own.org/d.xml"',
  )

  test('is kept as files are read by it, and changes with its version', async () => {
    expect(await naaccr.dictionary(URI)).toBeUndefined()
    await load()
    const one = {
      id: 'oneItem',
      number: 10,
      name: 'One & Only',
      length: 3,
      element: 'Tumor',
      recordTypes: 'A,M,C,I',
      dataType: 'digits',
      isUnlimited: false,
    }
    const kept = await naaccr.dictionary(URI)
    expect(kept).toMatchObject({ uri: URI, version: '250', items: [one, { id: 'twoItem' }] })
    expect(await load()).toMatchObject({ change: 'same' })
    // The documentation states no length for a text without a limit.
    const unlimited = ONE.replace('padding', 'allowUnlimitedText="true" padding')
    expect(await load({}, `${unlimited}${TWO}`)).toMatchObject({ change: 'changed' })
    expect((await naaccr.dictionary(URI))?.items[0]?.isUnlimited).toBe(true)
  })

  test('of own items is kept without documentation', async () => {
    const dictionary = await file('own.xml', OWN)
    const report = {
      dictionary: 'http://own.org/d.xml',
      items: 1,
      retired: 0,
      change: 'added',
    }
    expect(await naaccr.import({ dictionary }, { dryRun: true })).toMatchObject(report)
    expect(await naaccr.dictionary('http://own.org/d.xml')).toBeUndefined()
    expect(await naaccr.import({ dictionary })).toMatchObject(report)
    expect(await naaccr.import({ dictionary })).toMatchObject({ ...report, change: 'same' })
    expect(await naaccr.dictionary('http://own.org/d.xml')).toMatchObject({
      items: [{ id: 'twoItem' }],
    })
    expect(await naaccr.versions()).toEqual([])
    const members = await file('m.csv', 'item_number,format\n2,x\n')
    await expect(naaccr.import({ dictionary, members })).rejects.toMatchObject({
      code: 'bad_input',
      at: 'members',
      message: expect.stringContaining('leave members out'),
    })
  })
})

describe('an import', () => {
  test('takes the place of what there was of its version, and tells what is the same', async () => {
    const change = async (items: string, dryRun = false) => {
      const dictionary = await file('d.xml.gz', gzipSync(dictionaryOf(items)))
      return (await naaccr.import({ dictionary }, { dryRun })).change
    }
    expect(await change(`${ONE}${TWO}`, true)).toBe('added')
    expect(await naaccr.versions()).toEqual([])
    expect(await change(`${ONE}${TWO}`)).toBe('added')
    expect(await change(`${ONE}${TWO}`)).toBe('same')
    expect(await change(ONE, true)).toBe('changed')
    expect(await naaccr.list('25')).toHaveLength(2)
    expect(await change(ONE)).toBe('changed')
    expect(await naaccr.list('25')).toHaveLength(1)
  })

  test('is seen by another process at once', async () => {
    const [one, two] = await newStates(folder)
    const dictionary = await file('d.xml', dictionaryOf(ONE))
    const reader = new Naaccr({ state: two })
    expect(await reader.versions()).toEqual([])
    await new Naaccr({ state: one }).import({ dictionary })
    expect(await reader.item('latest', '10')).toMatchObject({ xml_naaccr_id: 'oneItem' })
  })

  test('reads pages of its version out of a folder, a tar and a zip alike', async () => {
    const files = [
      ['docs/naaccr24/oneItem.html', page('10', '<br/>')],
      ['docs/naaccr25/oneItem.html', page('10', DESCRIBED)],
      ['docs/naaccr25/style.css', 'x'],
    ] as const
    const tar = pack()
    for (const [name, text] of files) tar.entry({ name }, text)
    tar.finalize()
    await pages('docs/naaccr24', { oneItem: page('10', '<br/>') })
    await pages('docs/naaccr25', { oneItem: page('10', DESCRIBED) })
    for (const documentation of [
      join(folder, 'docs'),
      await file('docs.tar.gz', gzipSync(await buffer(tar))),
      await file('docs.zip', madeZip(files.map(([name, content]) => ({ name, content })))),
    ]) {
      await load({ documentation })
      expect(await naaccr.item('25', '10')).toMatchObject({ alternate_names: { length: 2 } })
      await load()
    }
  })

  test.each([
    ['another root', '<x/>', 'NaaccrDictionary'],
    ['no version', dictionaryOf(ONE, ''), 'naaccrVersion'],
    ['a version that is none', dictionaryOf(ONE, '251'), 'naaccrVersion'],
    ['no address', dictionaryOf(ONE).replace('dictionaryUri', 'x'), 'dictionaryUri'],
    ['no items', dictionaryOf(''), 'no items'],
    ['an item twice', dictionaryOf(`${ONE}${ONE}`), 'twice'],
    ['a number twice', dictionaryOf(`${ONE}${TWO.replace('"2"', '"10"')}`), 'twice'],
    ['an item without an id', dictionaryOf(ONE.replace('oneItem', '')), 'naaccrId'],
    ['an item without a number', dictionaryOf(ONE.replace('"10"', '"x"')), 'naaccrNum'],
    ['types that are none', dictionaryOf(ONE.replace('A,M', 'A;M')), 'recordTypes'],
    ['a day that is none', dictionaryOf(ONE, '250', 'dateLastModified="x"'), 'dateLastModified'],
    ['entities', `<!DOCTYPE x [<!ENTITY a "b">]>${dictionaryOf(ONE)}`, 'document type'],
  ])('refuses a dictionary with %s', async (_, content, message) => {
    const dictionary = await file('d.xml', content)
    await expect(naaccr.import({ dictionary })).rejects.toMatchObject({
      code: 'bad_input',
      message: expect.stringMatching(new RegExp(`d\\.xml.*${message}`)),
    })
    expect(await naaccr.versions()).toEqual([])
  })

  test('refuses documentation and look-ups of other versions alone', async () => {
    const documentation = await pages('naaccr26', { oneItem: page('10') })
    const message = expect.stringContaining('it has those of 26')
    await expect(load({ documentation })).rejects.toMatchObject({ code: 'bad_input', message })
    const entry = { name: 'naaccr-lookups-260/oneItem.csv', content: '1,a\n' }
    const lookups = await file('l.zip', madeZip([entry]))
    await expect(load({ lookups })).rejects.toMatchObject({ code: 'bad_input', message })
  })

  test('refuses a page with declarations, naming it', async () => {
    const documentation = await pages('naaccr25', { oneItem: `<!DOCTYPE html>${page('10')}` })
    await expect(load({ documentation })).rejects.toMatchObject({
      code: 'bad_input',
      message: expect.stringContaining('oneItem.html'),
    })
  })

  test.each([
    ['without a key', 'format\nx\n', 'item_number or xml_naaccr_id'],
    ['with a column twice', 'item_number,format,format\n1,a,b\n', 'twice'],
    ['with a column that is none', 'item_number,formt\n10,a\n', 'did you mean "format"'],
    ['with an item that is none', 'item_number,format\n77,a\n', '"77"'],
    ['with an item twice', 'item_number,format\n10,a\n10,b\n', 'line 3'],
    ['with a row without an item', 'item_number,format\n,a\n', 'line 2'],
    ['with too many cells', 'item_number,format\n10,a,b\n', 'line 2'],
    ['with a day that is none', 'item_number,date_created\n10,2020-13-01\n', 'line 2'],
    ['that is none', 'item_number,format\n10,"a\n', 'line 2 opens a quote'],
  ])('refuses a table of members %s', async (_, content, message) => {
    const members = await file('members.csv', content)
    await expect(load({ members })).rejects.toMatchObject({
      code: 'bad_input',
      message: expect.stringContaining(message),
    })
    expect(await naaccr.versions()).toEqual([])
  })

  test('members may be by id, with tabs between', async () => {
    const members = await file('m.tsv', 'format\txml_naaccr_id\nUpper case\toneItem\n')
    await load({ members })
    expect(await naaccr.item('25', '10')).toMatchObject({ format: 'Upper case' })
  })
})
