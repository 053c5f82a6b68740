import type { ByteSink } from '../../shared/formats/byte-sink.ts'
import { type Cells, viewOf } from './cells.ts'
import { type ColumnNode, codeAt, isNullAt, type LeafNode, visitNaming } from './column-tree.ts'

const COMMA = 0x2c
const OPEN_BRACE = 0x7b
const CLOSE_BRACE = 0x7d
const OPEN_BRACKET = 0x5b
const CLOSE_BRACKET = 0x5d
const NULL = viewOf(Buffer.from('null'))
const NOTHING = Buffer.from('{}')

/** Writes a field of a JSON object with a leading comma, if the element has the field. */
type WriteMember = (element: number, sink: ByteSink) => void

/**
 * Returns a function that writes records as JSON objects from columns. The bytes are the same as
 * JSON.stringify of the record in documents.
 */
export function objectWriter(
  members: readonly ColumnNode[],
  cellsOf: (node: LeafNode) => Cells,
): (row: number, sink: ByteSink) => void {
  const write = members.map((member) => memberWriter(member, cellsOf))
  return (row, sink) => {
    if (!writeObject(write, row, sink)) sink.bytes(NOTHING)
  }
}

/** Writes an object. If the element has none of the fields, writes nothing and returns false. */
function writeObject(members: readonly WriteMember[], element: number, sink: ByteSink): boolean {
  const start = sink.length
  for (const write of members) write(element, sink)
  if (sink.length === start) return false
  // Each field starts with a comma, so the opening brace overwrites the first comma.
  sink.replace(start, OPEN_BRACE)
  sink.byte(CLOSE_BRACE)
  return true
}

function memberWriter(node: ColumnNode, cellsOf: (node: LeafNode) => Cells): WriteMember {
  if (node.kind === 'leaf') return leafWriter(node, cellsOf(node))
  const members = node.members.map((member) => memberWriter(member, cellsOf))
  if (node.kind === 'linked') {
    const { targets } = node
    return (element, sink) => {
      const target = targets[element]!
      if (target > 0) for (const write of members) write(target - 1, sink)
    }
  }
  const prefix = prefixOf(node.as)
  if (node.kind === 'object') {
    return (element, sink) => {
      const start = sink.length
      sink.copy(prefix, 0, prefix.byteLength)
      if (!writeObject(members, element, sink)) sink.cutTo(start)
    }
  }
  const writeItem = (element: number, sink: ByteSink) => {
    const start = sink.length
    sink.byte(COMMA)
    if (!writeObject(members, element, sink)) sink.cutTo(start)
  }
  if (node.kind === 'list') {
    const { offsets } = node
    return arrayWriter(prefix, (above, sink) => {
      const end = offsets[above + 1]!
      for (let element = offsets[above]!; element < end; element++) writeItem(element, sink)
    })
  }
  return arrayWriter(prefix, (row, sink) => {
    visitNaming(node, row, (record) => writeItem(record, sink))
  })
}

/** @param writeItems writes each item with a leading comma */
function arrayWriter(prefix: DataView, writeItems: WriteMember): WriteMember {
  return (element, sink) => {
    const start = sink.length
    sink.copy(prefix, 0, prefix.byteLength)
    const first = sink.length
    writeItems(element, sink)
    if (sink.length === first) sink.cutTo(start)
    else {
      sink.replace(first, OPEN_BRACKET)
      sink.byte(CLOSE_BRACKET)
    }
  }
}

function leafWriter(node: LeafNode, cells: Cells): WriteMember {
  const prefix = prefixOf(node.leaf.as)
  const { offsets, codes } = node
  const { list } = node.leaf.printed
  const writeNull = (element: number, sink: ByteSink) => {
    if (!isNullAt(node, element)) return
    sink.copy(prefix, 0, prefix.byteLength)
    sink.copy(NULL, 0, NULL.byteLength)
  }
  if (!list) {
    return (element, sink) => {
      const code = codeAt(node, element)
      if (code === 0) return writeNull(element, sink)
      sink.copy(prefix, 0, prefix.byteLength)
      cells.write(code, sink)
    }
  }
  const several = arrayWriter(prefix, (element, sink) => {
    const end = offsets ? offsets[element + 1]! : element + 1
    for (let at = offsets ? offsets[element]! : element; at < end; at++) {
      const code = codes ? codes[at]! : at + 1
      if (code === 0) continue
      sink.byte(COMMA)
      cells.write(code, sink)
    }
  })
  return (element, sink) => {
    const start = sink.length
    several(element, sink)
    if (sink.length === start) writeNull(element, sink)
  }
}

/** Returns a member's name and colon as JSON, with a leading comma. */
export const prefixOf = (name: string) => viewOf(Buffer.from(`,${JSON.stringify(name)}:`))
