/**
 * SEER brain and central nervous system recode, revision of 2020. Columns: group, name, sites, histologies,
 * behaviors. The first matching row applies (readTable in table-text.ts).
 */
export const BRAIN_CNS_2020 = `
01 | 1.1 Diffuse astrocytoma and anaplastic astrocytoma | C700-C729 | 9400-9401 9410-9411 9420 | 3
02 | 1.2 Glioblastoma | C700-C729 | 9440-9442 9445 | 3
03 | 1.3 Diffuse midline glioma, H3 K27M-mutant | C700-C729 | 9385 | 3
04 | 1.4 Oligodendroglioma | C700-C729 | 9450-9451 | 3
05 | 1.5 Oligoastrocytoma | C700-C729 | 9382 | 3
06 | 1.6 Other astrocytic tumors | C700-C729 | 9421 9424-9425 | 3
07 | 1.7 Astroblastoma | C700-C729 | 9430 | 3
08 | 1.8 Ependymal tumors | C700-C729 | 9391-9393 9396 | 3
09 | 1.9 Glioma, unspecified | C700-C729 | 9380 | 3
10 | 1.10 Other | C700-C729 | 9381 9383-9384 9394-9395 9397-9399 9402-9409 9412-9419 9422-9423
  9426-9429 9431-9439 9443-9444 9446-9449 9452-9460 | 3
11 | 2. Embryonal tumors | C700-C729 | 8963 9364 9470-9478 9490 9500-9502 9508 | 3
12 | 3. Meningiomas | C700-C729 | 9530 9538-9539 | 3
13 | 4. Choroid plexus tumors | C700-C729 | 9390 | 3
14 | 5. Neuronal and mixed neuronal-glial tumors | C700-C729 | 9505 9509 | 3
15 | 6. Other Malignant Brain/ONS | C700-C729 | not 9050-9055 9140 9590-9993 | 3
16 | 1. Meningiomas | C700-C729 | 9530-9534 9537 | 0
16 | 1. Meningiomas | C700-C729 | 9538-9539 | 1
17 | 2. Tumors of the cranial and paraspinal nerves | C700-C729 | 9540 9550 9560 9563 9571 | 0
17 | 2. Tumors of the cranial and paraspinal nerves | C700-C729 | 9560 | 1
18 | 3. Ependymal tumors | C700-C729 | 9383 9394 | 1
19 | 4. Choroid plexus tumors | C700-C729 | 9390 | 0-1
20 | 5. Neuronal and mixed neuronal-glial tumors | C700-C729 | 9413 9492-9493 9509 | 0
20 | 5. Neuronal and mixed neuronal-glial tumors | C700-C729 | 8693 9412 9505-9506 9509 | 1
21 | 6. Mesenchymal, nonmeningothelial tumors | C700-C729 | 8815 8825 8830 8850 8861 8880 8890 8900
  9120 9180 9210 9220 | 0
21 | 6. Mesenchymal, nonmeningothelial tumors | C700-C729 | 8815 8821 8825 9161 | 1
22 | 7. Other astrocytic tumors | C700-C729 | 9384 | 1
23 | 8. Other gliomas | C700-C729 | 9431 9444 | 1
24 | 9. Other non-malignant Brain/ONS | C700-C729 | not 9050-9055 9140 9590-9993
25 | Malignant tumors of the pineal region | C753 | 9362 9395 | 3
26 | Non-malignant tumors of the pineal region | C753 | 9361 | 1
27 | All Other Cancer Types
`
