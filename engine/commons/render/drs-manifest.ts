const NEWLINE = 10
const TAB = 9

/**
 * Adds the DRS URI of each file to a manifest as a last column, which manifest readers ignore. Each line
 * starts with an id; the first line is the header.
 * @param chunks bytes of the manifest, cut anywhere
 * @param host host name, with a port if needed
 * @example 'id\tsize
 * 0d00…\t3
 * ' // 'id\tsize\tdrs_uri
 * 0d00…\t3\tdrs://host/0d00…
 * '
 */
export async function* withDrsUris(
  chunks: AsyncIterable<Uint8Array>,
  host: string,
): AsyncGenerator<Uint8Array, undefined> {
  const prefix = `\tdrs://${host}/`
  let rest = Buffer.alloc(0)
  let isHeader = true
  for await (const chunk of chunks) {
    // The chunk is copied, because the producer may reuse its memory.
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
    // Latin-1 maps each byte to one character and back, so text in any encoding stays unchanged.
    if (lines.length > 0) yield Buffer.from(lines.join(''), 'latin1')
  }
  if (rest.length > 0) yield rest
}

const idOf = (line: string) => line.slice(0, line.indexOf(String.fromCharCode(TAB)))
