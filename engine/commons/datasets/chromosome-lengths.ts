/** Numbers of bases of chromosomes 1 to 22, X, Y and M in each assembly of the reference genome. */
const LENGTHS: Readonly<Record<string, readonly number[]>> = {
  GRCh37: [
    ...[249250621, 243199373, 198022430, 191154276, 180915260, 171115067, 159138663, 146364022],
    ...[141213431, 135534747, 135006516, 133851895, 115169878, 107349540, 102531392, 90354753],
    ...[81195210, 78077248, 59128983, 63025520, 48129895, 51304566, 155270560, 59373566],
    // This is the mitochondrion of hg19. In GRCh37, it is two bases shorter.
    16571,
  ],
  GRCh38: [
    ...[248956422, 242193529, 198295559, 190214555, 181538259, 170805979, 159345973, 145138636],
    ...[138394717, 133797422, 135086622, 133275309, 114364328, 107043718, 101991189, 90338345],
    ...[83257441, 80373285, 58617616, 64444167, 46709983, 50818468, 156040895, 57227415, 16569],
  ],
}

const LETTERS = ['X', 'Y', 'M']
/** Highest number of a chromosome that has a number. */
const LAST_NUMBER = 22

/**
 * Returns the 1-based position of the last base of a chromosome, such as `7` or `X`, in a reference build.
 * Returns Infinity for other builds and sequences. If no build is given, the longest one counts.
 */
export function lastBaseOf(chromosome: string, build: string | undefined): number {
  const letter = LETTERS.indexOf(chromosome)
  const place = letter < 0 ? Number(chromosome) - 1 : LAST_NUMBER + letter
  if (build !== undefined) return LENGTHS[build]?.[place] ?? Infinity
  return Math.max(...Object.values(LENGTHS).map((lengths) => lengths[place] ?? Infinity))
}
