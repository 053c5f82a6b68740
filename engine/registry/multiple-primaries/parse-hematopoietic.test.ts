import { describe, expect, test } from 'vitest'
import { parseHematopoietic } from './parse-hematopoietic.ts'

const SAME = 'morphology,valid start year,valid end year,start year,end year,same primary'

describe('a table of blood and lymph', () => {
  test('is recognised by its columns, in any order and with more', () => {
    const text = '\uFEFFother,SecondDxHistologyGroup,FirstDxHistologyGroup\r\nx,2,1\r\n\r\ny,4,3'
    expect(parseHematopoietic('pairs.csv', text)).toEqual({
      groupPairs2001: [
        [1, 2],
        [3, 4],
      ],
    })
  })

  test('has years that may be left out', () => {
    const text = `${SAME}\n9742/3,2001,,2001,2009,9590/3\n9591/1,,2010,,,9590/3\n`
    expect(parseHematopoietic('same.csv', text)).toEqual({
      samePrimary2010: [
        { morphology: '9742/3', validStart: 2001, start: 2001, end: 2009, other: '9590/3' },
        { morphology: '9591/1', validEnd: 2010, other: '9590/3' },
      ],
    })
  })

  test('has names in quotes', () => {
    const text =
      'HistologyGroupNumber,HistologyLow,HistologyHigh,HistologyGroupName\n1,9590,9591,"A, B"\n'
    expect(parseHematopoietic('groups.csv', text)).toEqual({
      groups2001: [{ number: 1, low: '9590', high: '9591', name: 'A, B' }],
    })
  })

  test('has numbers as programs write them, and may have a column twice', () => {
    const text = `${SAME},start year\n9742/3,2001.0,,2.001e3,,9590/3,2.001e3\n`
    expect(parseHematopoietic('same.csv', text)).toEqual({
      samePrimary2010: [{ morphology: '9742/3', validStart: 2001, start: 2001, other: '9590/3' }],
    })
    const differing = `${SAME},start year\n9742/3,,,2001,,9590/3,2002\n`
    expect(() => parseHematopoietic('same.csv', differing)).toThrow('start year occurs twice')
  })

  test.each([
    ['', 'line 1 of t.csv has no columns of a table'],
    ['a,b\n1,2', 'line 1 of t.csv has no columns of a table'],
    [SAME, 'line 1 of t.csv is followed by no line'],
    [
      `${SAME}\n9742/3,2001,,,,9590/3\n9742/3,2001`,
      'line 3 of t.csv has 2 cells, the first line 6',
    ],
    [`${SAME}\n9742/3,"2001,,,,9590/3`, 'in "t.csv", line 2 opens a quote'],
    [`${SAME}\n9742,2001,,,,9590/3`, 'line 2 of t.csv has "9742" as "morphology"'],
    [`${SAME}\n7742/3,2001,,,,9590/3`, 'line 2 of t.csv has "7742/3" as "morphology"'],
    [`${SAME}\n\n9742/3,201,,,,9590/3`, 'line 3 of t.csv has "201" as "valid start year"'],
    [`${SAME}\n9742/3,,,,,`, 'line 2 of t.csv has "" as "same primary"'],
    [`${SAME}\n9742/3,,,,,${'9'.repeat(99)}`, `line 2 of t.csv has "${'9'.repeat(40)}" as`],
  ])('is refused with file, line and column: %j', (text, message) => {
    expect(() => parseHematopoietic('t.csv', text)).toThrow(
      expect.objectContaining({ code: 'bad_input', message: expect.stringContaining(message) }),
    )
  })
})
