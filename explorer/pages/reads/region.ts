/** An interval of a reference, 1-based and inclusive, as in the interface. */
export interface Region {
  readonly reference: string
  readonly start: number
  readonly end: number
}

/** Parses `chr17:7,661,779-7,687,550` or `chr17:7661779`. Returns undefined for any other text. */
export function parseRegion(text: string): Region | undefined {
  const [, reference, first, last] =
    /^\s*([^\s:]+):([\d,]+)(?:\s*[-–]\s*([\d,]+))?\s*$/.exec(text) ?? []
  if (reference === undefined || first === undefined) return undefined
  const start = numberOf(first)
  const end = last === undefined ? start + SHOWN_AROUND : numberOf(last)
  return start < 1 || end < start ? undefined : { reference, start, end }
}

export const regionText = ({ reference, start, end }: Region) => `${reference}:${start}-${end}`

/** Formats a region for display. */
export const shownRegion = ({ reference, start, end }: Region) =>
  `${reference}:${start.toLocaleString('en')}–${end.toLocaleString('en')}`

export const lengthOf = ({ start, end }: Region) => end - start + 1

/** Returns the region scaled around its middle, within the reference. */
export function zoomed(region: Region, factor: number, referenceLength: number): Region {
  const length = Math.max(SHORTEST, Math.round(lengthOf(region) * factor))
  const middle = (region.start + region.end) / 2
  return within({ ...region, start: Math.round(middle - length / 2) }, length, referenceLength)
}

/** Returns the region moved by a fraction of its length, within the reference. */
export function moved(region: Region, part: number, referenceLength: number): Region {
  const length = lengthOf(region)
  return within(
    { ...region, start: region.start + Math.round(part * length) },
    length,
    referenceLength,
  )
}

/** Returns the file's name for a chromosome, with or without `chr`. */
export function referenceNamed(
  name: string,
  references: readonly { readonly name: string }[],
): string | undefined {
  const wanted = [name, `chr${name}`, name.replace(/^chr/, '')]
  return wanted.find((one) => references.some((reference) => reference.name === one))
}

const SHOWN_AROUND = 200
const SHORTEST = 40

function within({ reference, start }: Region, length: number, referenceLength: number): Region {
  const shown = Math.min(length, referenceLength)
  const first = Math.max(1, Math.min(start, referenceLength - shown + 1))
  return { reference, start: first, end: first + shown - 1 }
}

const numberOf = (text: string) => Number(text.replaceAll(',', ''))
