import { expect, test } from 'vitest'
import { XML_DECLARATION, XmlWriter } from './xml.ts'

const compact = (value: unknown) => new XmlWriter({ pretty: false }).element('response', value, 0)

interface Element {
  readonly name: string
  readonly children: readonly Element[]
  readonly text: string
}

/** Reads elements and text only, and rejects everything that is not well-formed. */
function readXml(xml: string): Element {
  let rest = xml
  const take = (form: RegExp): string | undefined => {
    const found = form.exec(rest)?.[0]
    if (found !== undefined) rest = rest.slice(found.length)
    return found
  }
  const element = (): Element => {
    const tag = take(/^<[A-Za-z_][\w.-]*\/?>/)
    if (tag === undefined) throw new Error(`no element at ${rest.slice(0, 30)}`)
    const name = tag.replace(/[</>]/g, '')
    if (tag.endsWith('/>')) return { name, children: [], text: '' }
    const children: Element[] = []
    let text = ''
    for (;;) {
      // biome-ignore lint/suspicious/noControlCharactersInRegex: they must not be there.
      text += take(/^(?:[^<&\0-\x08\x0b-\x1f\ufffe\uffff]|&(?:amp|lt|gt|#13);)+/) ?? ''
      if (take(new RegExp(`^</${name}>`)) !== undefined) break
      children.push(element())
    }
    return { name, children, text }
  }
  const root = element()
  if (rest !== '') throw new Error(`more behind the root: ${rest.slice(0, 30)}`)
  return root
}

test('members are elements, elements of arrays are items', () => {
  expect(compact({ a: 1, b: { c: 'x' }, d: ['y', { e: false }, ['z']] })).toBe(
    '<response><a>1</a><b><c>x</c></b><d><item>y</item><item><e>false</e></item>' +
      '<item><item>z</item></item></d></response>',
  )
})

test('what holds nothing closes itself', () => {
  expect(compact({ a: null, b: '', c: {}, d: [], e: [null, {}, []] })).toBe(
    '<response><a/><b/><c/><d/><e><item/><item/><item/></e></response>',
  )
  expect(compact({})).toBe('<response/>')
})

test('pretty: one tab per level, also for an element that stands deeper', () => {
  const writer = new XmlWriter({ pretty: true })
  const value = { a: ['x\ny', null], b: {} }
  const lines = [
    '<item>',
    '\t<a>',
    '\t\t<item>x\ny</item>',
    '\t\t<item/>',
    '\t</a>',
    '\t<b/>',
    '</item>',
  ]
  expect(writer.element('item', value, 0)).toBe(`${lines.join('\n')}\n`)
  const deeper = lines.map((line) => `\t\t\t${line}\n`).join('')
  expect(writer.element('item', value, 3)).toBe(deeper)
  expect(writer.open('data', 1) + writer.close('data', 1)).toBe('\t<data>\n\t</data>\n')
})

test('texts are escaped; what XML 1.0 cannot hold is dropped', () => {
  const xml = compact({ a: `<b>&amp; "q" 'q' ]]>`, b: '\0\x07\x1b\ufffe\uffffx\t\n', c: 'a\rb' })
  expect(xml).toBe(
    `<response><a>&lt;b&gt;&amp;amp; "q" 'q' ]]&gt;</a><b>x\t\n</b><c>a&#13;b</c></response>`,
  )
  readXml(xml)
})

test('names that are none are made ones', () => {
  const value = {
    'a b': 1,
    '1st': 2,
    '': 3,
    '#text': 4,
    '?pi': 5,
    '@_x': 6,
    'cases.0.id': 7,
    'ä:': 8,
  }
  const { children } = readXml(compact(value))
  expect(children.map(({ name }) => name)).toEqual([
    ...['_a_b', '_1st', '_', '__text', '__pi', '___x', 'cases.0.id', '___'],
  ])
  expect(children.map(({ text }) => text)).toEqual(['1', '2', '3', '4', '5', '6', '7', '8'])
})

test('deep values and all sorts of texts stay well-formed', () => {
  let deep: unknown = 'x'
  for (let i = 0; i < 200; i++) deep = i % 2 ? [deep] : { a: deep }
  readXml(compact(deep))
  const texts = Array.from({ length: 0x300 }, (_, code) => String.fromCharCode(code).repeat(2))
  expect(readXml(compact(texts)).children).toHaveLength(0x300)
})

test('the declaration is that of the published examples', () => {
  expect(XML_DECLARATION).toBe('<?xml version="1.0" ?>')
})
