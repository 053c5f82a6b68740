const NEWLINE = 10
const TAB = 9

/**
 * Adds to each line of a manifest the URI of its file, as a last column: what reads manifests reads it as
 * it is. Lines begin with an id; the first line is the header.
 * @param chunks each may end within a line
 * @param host with a port, where there is one
 * @example 'id\tsize\n0d00…\t3\n' // 'id\tsize\tdrs_uri\n0d00…\t3\tdrs://host/0d00…\n'
 */
export async function* withDrsUris(
  chunks: AsyncIterable<Uint8Array>,
  host: string,
): AsyncGenerator<Uint8Array, undefined> {
  const prefix = `\tdrs://${host}/`
  let rest = Buffer.alloc(0)
  let isHeader = true
  for await (const chunk of chunks) {
    // The chunk's memory is another's when the next is asked for.
    const bytes = Buffer.concat([rest, chunk])
    const end = bytes.lastIndexOf(NEWLINE) + 1
    const lines: string[] = []
    for (let at = 0; at < end; ) {
      const stop = bytes.indexOf(NEWLINE, at)
      const line = bytes.toString('latin1', at, stop)
      lines.push(line, isHeader ? '\tdrs_uri' : prefix + idOf(line), '\n')
      isHeader = false
      at = stop + 1
    }
    rest = bytes.subarray(end)
    // Each byte stays as it is, whatever the text's encoding.
    if (lines.length > 0) yield Buffer.from(lines.join(''), 'latin1')
  }
  if (rest.length > 0) yield rest
}

const idOf = (line: string) => line.slice(0, line.indexOf(String.fromCharCode(TAB)))
