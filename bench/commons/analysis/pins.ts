import type { InputName } from './layout.ts'
import type { WorkloadName } from './questions.ts'

/** MD5 of the matrix's values (matrix.ts), by `md5sum bench/data/analysis-*\/matrix-*\/values.u32`. */
export const MATRIX_PINS: Readonly<Record<InputName, string>> = {
  full: '15cff05a84827c4c84451c7cd50d9bf0',
  quick: 'a4a392fd316b94e6366bfc8213d318d7',
  test: 'cfd7f0a94328fdd8fb28367dc9a34b87',
}

type Pins = Readonly<Partial<Record<WorkloadName, readonly (readonly unknown[])[]>>>

/**
 * What the questions select (pinnedOf in answers.ts), of the first questions of each workload, as the
 * peers say it:
 *   node bench/commons/analysis/tell.ts full|quick|test
 */
export const PINS: Readonly<Record<InputName, Pins>> = {
  full: {
    'values-few-genes': [
      [11, 10001, 52064.242],
      [11, 10001, 1273096.5],
    ],
    'values-square': [
      [1001, 1001, 699382.56],
      [1001, 1001, 23162543],
    ],
    'values-all-genes': [
      [20001, 501, 6979477.1],
      [20001, 501, 245697180],
    ],
    selection: [[100, 'ENSG00001019068', 222.00877, 692.45724]],
    'selection-all': [[1000, 'ENSG00001252158', 2234.9027, 7092.6128]],
    survival: [[24512, 3882, 18746, 3768, 0.43663401, 9.2223631]],
    'top-genes': [
      [16589, 344],
      [18481, 470],
    ],
    'top-genes-impact': [
      [12114, 236],
      [13700, 312],
    ],
    'top-cases': [
      [174, 32],
      [235, 39],
    ],
    'cases-of-genes': [
      [1362, 69, 137466],
      [1078, 69, 108382],
    ],
    'mutated-cases': [[45000, 90, 330621]],
    cells: [
      [100000, 15431.5],
      [100000, 15130.222],
    ],
  },
  quick: {
    'values-few-genes': [
      [11, 1001, 6111.6154],
      [11, 1001, 90254.041],
    ],
    'values-square': [
      [201, 201, 27776.921],
      [201, 201, 895390.24],
    ],
    'values-all-genes': [
      [1001, 101, 70117.813],
      [1001, 101, 2566283],
    ],
    selection: [[50, 'ENSG00000919865', 90.080863, 261.37358]],
    'selection-all': [[100, 'ENSG00000918513', 205.1167, 640.79688]],
    differential: [[200, 1.0575827, 998000.5, -81.338339, -5.9926342]],
    coexpression: [
      [199, -0.24821149, -0.013170784, -86.563226, -87.756377, -7.7405429, -8.7410654],
    ],
    survival: [[1045, 852, 885, 738, 0.40812198, 0.4373274]],
    'top-genes': [
      [1318, 97],
      [1171, 96],
    ],
    'top-genes-impact': [
      [979, 75],
      [892, 64],
    ],
    'top-cases': [
      [51, 46],
      [34, 37],
    ],
    'cases-of-genes': [
      [189, 25, 8859],
      [177, 25, 8199],
    ],
    'mutated-cases': [[2000, 35, 5730]],
    cells: [
      [10000, 1516.6323],
      [10000, 1492.9841],
    ],
  },
  test: {
    'values-few-genes': [
      [11, 61, 328.38888],
      [11, 61, 12356.744],
    ],
    'values-square': [
      [21, 22, 262.98528],
      [21, 22, 8963.9865],
    ],
    'values-all-genes': [
      [51, 13, 329.75277],
      [51, 13, 9105.5243],
    ],
    selection: [[5, 'ENSG00000900755', 9.741024, 23.663049]],
    'selection-all': [[20, 'ENSG00000900248', 28.173434, 84.251611]],
    differential: [[20, -1.6203812, 1055.5, -4.6887591, -0.0089437389]],
    coexpression: [[19, -0.33494534, -0.7424712, -9.1808982, -8.9920434, -3.3433382, -2.5577056]],
    survival: [[27, 27, 30, 30, 0.20668201, 0.67502707]],
    'top-genes': [
      [39, 18],
      [47, 20],
    ],
    'top-genes-impact': [
      [31, 15],
      [37, 14],
    ],
    'top-cases': [
      [8, 38],
      [9, 39],
    ],
    'cases-of-genes': [
      [19, 7, 125],
      [11, 6, 89],
    ],
    'mutated-cases': [[60, 8, 208]],
    cells: [
      [1500, 195.61052],
      [1500, 257.71067],
    ],
  },
}
