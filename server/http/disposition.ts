/**
 * `Content-Disposition` for a file to be saved. The name is unquoted, because real clients cut at
 * `=` and use the rest as it is (data-commons.md 5.2 and 11.15).
 *
 * @example attachment('demo_slice.bam') // 'attachment; filename=demo_slice.bam'
 */
export function attachment(fileName: string): string {
  // Line breaks and controls are dropped rather than encoded: no client should ever decode one.
  const name = fileName.toWellFormed().replace(/[\p{Cc}\p{Zl}\p{Zp}]/gu, '') || 'download'
  const plain = name.replace(/[^A-Za-z0-9._\-+@=]/gu, '_')
  if (plain === name) return `attachment; filename=${name}`
  // encodeURIComponent leaves four characters that RFC 8187 does not allow bare.
  const encoded = encodeURIComponent(name).replace(
    /['()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  )
  // The plain name last: clients cut at `filename=` and take everything behind it.
  return `attachment; filename*=UTF-8''${encoded}; filename=${plain}`
}
