import { expect, test } from 'vitest'
import { FormatError } from './format-error.ts'
import { readXml } from './read-xml.ts'

test('elements, attributes and texts are as they stand', () => {
  const xml = `<?xml version="1.0"?>
<!-- a comment -->
<a one="1" two="&lt;&amp;&quot;"><b> x </b><b/><c>1 &gt; 0</c><b>00<i>in</i>9</b></a>`
  const leaf = { attributes: {}, children: [], text: '' }
  expect(readXml(xml)).toEqual({
    name: 'a',
    attributes: { one: '1', two: '<&"' },
    text: '',
    children: [
      { ...leaf, name: 'b', text: ' x ' },
      { ...leaf, name: 'b' },
      { ...leaf, name: 'c', text: '1 > 0' },
      { ...leaf, name: 'b', text: '009', children: [{ ...leaf, name: 'i', text: 'in' }] },
    ],
  })
})

test('what stands in CDATA is text and nothing else', () => {
  const { children, text } = readXml('<a><![CDATA[<b>&amp;&nbsp;</b>]]> &amp; c</a>')
  expect(children).toEqual([])
  expect(text).toBe('<b>&amp;&nbsp;</b> & c')
})

test('references of XML itself are read, and as many as there are', () => {
  const many = 3000
  const { text } = readXml(`<a>${'&lt;'.repeat(many)}&#233;&#xe9;</a>`)
  expect(text).toBe(`${'<'.repeat(many)}éé`)
})

test.each([
  ['a document type', '<!DOCTYPE a><a/>'],
  ['entities', '<!DOCTYPE a [<!ENTITY b "c">]><a>&b;</a>'],
  ['a file to be read', '<!DOCTYPE a [<!ENTITY b SYSTEM "file:///etc/passwd">]><a>&b;</a>'],
])('%s cannot be declared', (_, xml) => {
  expect(() => readXml(xml)).toThrow(/declarations/)
})

test.each([
  '',
  'a',
  '<a>',
  '<a></b>',
  '<a/><b/>',
  '<a b="1" b="2"/>',
  '<a b=1/>',
  '<a>&b</a',
  `${'<a>'.repeat(100)}${'</a>'.repeat(100)}`,
])('%j is refused', (xml) => {
  expect(() => readXml(xml)).toThrow(FormatError)
})

test.each(['__proto__', 'constructor'])('an element or attribute %s is refused', (name) => {
  expect(() => readXml(`<a><${name}>x</${name}></a>`)).toThrow(FormatError)
  expect(() => readXml(`<a ${name}="x"/>`)).toThrow(FormatError)
})
