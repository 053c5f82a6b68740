/** Maximum length of a name in bytes. File systems allow 255; the rest is for the extensions of partial files. */
const LONGEST = 240

const DEVICES = /^(con|prn|aux|nul|com[0-9¹²³]|lpt[0-9¹²³]|conin\$|conout\$)(\.|$)/i
/** Matches folder separators, and characters that some systems forbid or that change how a name is displayed. */
const UNSAFE = /[/\\<>:"|?*\p{Cc}\u200e\u200f\u202a-\u202e\u2066-\u2069\ufffe\uffff]/gu

/** Returns whether an id can be used verbatim as a folder name and path segment. UUIDs can. */
export function isPlainId(text: string): boolean {
  return /^[a-z0-9]([a-z0-9._-]{0,126}[a-z0-9])?$/i.test(text) && !DEVICES.test(text)
}

/**
 * Converts a name from a server to one that stays in its folder on every system. Most names stay unchanged. Path
 * separators, device names and text direction marks are replaced.
 */
export function safeName(given: string, otherwise: string): string {
  const flat = given
    .toWellFormed()
    .replace(UNSAFE, '_')
    .replace(/[. ]+$/, '_')
    .trimStart()
  if (flat === '' || /^_?$/.test(flat)) return otherwise
  const name = DEVICES.test(flat) || /^\.+$/.test(flat) ? `_${flat}` : flat
  // Such a name could be that of another file's partial state.
  return shorten(/\.part(\.json|\.next)?$/i.test(name) ? `${name}_` : name)
}

/** Shortens a name in the middle, so that the extension remains. */
function shorten(name: string): string {
  const bytes = Buffer.from(name)
  if (bytes.length <= LONGEST) return name
  const ending = name.match(/(\.[\w-]{1,12}){1,3}$/)?.[0] ?? ''
  const start = bytes.subarray(0, LONGEST - Buffer.byteLength(ending)).toString()
  // A character that was cut in two became a replacement character.
  return `${start.replace(/\ufffd+$/, '')}${ending}`
}

/** Returns the file name in a Content-Disposition header: `filename*` or else `filename`, quoted or not. */
export function dispositionName(header: string | undefined): string | undefined {
  if (header === undefined) return undefined
  const extended = /;\s*filename\*\s*=\s*(?:utf-8|iso-8859-1)'[^']*'([^;\s]+)/i.exec(header)?.[1]
  const decoded = extended === undefined ? undefined : decodePercent(extended)
  if (decoded !== undefined) return decoded
  const quoted = /;\s*filename\s*=\s*"((?:[^"\\]|\\.)*)"/i.exec(header)?.[1]
  if (quoted !== undefined) return quoted.replace(/\\(.)/g, '$1')
  return /;\s*filename\s*=\s*([^;]*)/i.exec(header)?.[1]?.trim() || undefined
}

function decodePercent(text: string): string | undefined {
  try {
    return decodeURIComponent(text)
  } catch {
    return undefined
  }
}
