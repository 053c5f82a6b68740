import { XMLParser } from 'fast-xml-parser'
import { expect, test } from 'vitest'
import { listedXml } from './multipart-xml.ts'

test.each([0, 1, 250, 601])('a list of %i parts has each of them once, in order', async (count) => {
  const parts = Array.from({ length: count }, (_, i) => ({
    ...{
      number: i + 1,
      size: i,
      md5: i.toString(16).padStart(32, '0'),
      name: '',
      modifiedAt: 'then',
    },
  }))
  const text = await listedXml({ project: 'A-B', id: 'file', uploadId: 'upload' }, parts)
  const parser = new XMLParser({ isArray: (name) => name === 'Part', parseTagValue: false })
  const { Part = [], ...about } = parser.parse(text, true).ListPartsResult
  expect(about).toEqual({
    Bucket: 'A-B',
    Key: 'file',
    UploadId: 'upload',
    MaxParts: String(count),
    IsTruncated: 'false',
  })
  expect(Part).toEqual(
    parts.map(({ number, size, md5 }) => ({
      PartNumber: String(number),
      Size: String(size),
      LastModified: 'then',
      ETag: `"${md5}"`,
    })),
  )
})
