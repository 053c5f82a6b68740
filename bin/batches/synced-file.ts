import { open } from 'node:fs/promises'

/** Writes a new file. When the promise resolves, the file survives a power failure. */
export async function writeSynced(
  path: string,
  content: Uint8Array | AsyncIterable<Uint8Array>,
): Promise<void> {
  await using file = await open(path, 'wx')
  const chunks = content instanceof Uint8Array ? [content] : content
  for await (const chunk of chunks) await file.writeFile(chunk)
  await file.sync()
}
