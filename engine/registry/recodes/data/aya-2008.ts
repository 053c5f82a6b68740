/**
 * SEER AYA site recode for adolescents and young adults, WHO 2008 definition (seer.cancer.gov/ayarecode).
 * Columns: group, name, sites, histologies, behaviors. The first matching row applies (readTable in
 * table-text.ts).
 */
export const AYA_2008 = `
01 | 1.1 Acute lymphoid leukemia | C000-C809 | 9826 9835-9836 | 3
01 | 1.1 Acute lymphoid leukemia | C420-C421 C424 | 9811-9818 9837 | 3
02 | 1.2 Acute myeloid leukemia | C000-C809 | 9840 9861 9865-9867 9869 9871-9874 9891 9895-9898
  9910-9911 9920 | 3
03 | 1.3 Chronic myeloid leukemia | C000-C809 | 9863 9875-9876 9945-9946 | 3
04 | 1.4 Other and unspecified leukemia | C000-C809 | 9742 9800-9801 9805-9809 9820 9831-9834 9860
  9870 9930-9931 9940 9948 9963-9964 | 3
04 | 1.4 Other and unspecified leukemia | C420-C421 C424 | 9823 9827 | 3
05 | 2.1 Non-Hodgkin lymphoma | C000-C809 | 9590-9591 9596-9597 9670-9671 9673 9675 9678-9680 9684
  9687-9691 9695 9698-9702 9705 9708-9709 9712 9714 9716-9719 9725-9729 9735 9737-9738 | 3
05 | 2.1 Non-Hodgkin lymphoma | C000-C419 C422-C423 C425-C809 | 9811-9818 9823 9827 9837 | 3
06 | 2.2 Hodgkin lymphoma | C000-C809 | 9650-9655 9659 9661-9665 9667 | 3
07 | 3.1.1 Specified low-grade astrocytic tumors | C723 | 9380 | 0 1 3
07 | 3.1.1 Specified low-grade astrocytic tumors | C000-C809 | 9410-9411 9420-9421 9424 | 0 1 3
08 | 3.1.2 Glioblastoma and anaplastic astrocytoma | C000-C809 | 9401 9440-9442 | 0 1 3
09 | 3.1.3 Astrocytoma, NOS | C000-C809 | 9400 | 0 1 3
10 | 3.2 Other glioma | C000-C722 C724-C809 | 9380 | 0 1 3
10 | 3.2 Other glioma | C000-C809 | 9381-9384 9423 9430 9450-9451 9460 | 0 1 3
11 | 3.3 Ependymoma | C000-C809 | 9391-9394 | 0 1 3
12 | 3.4.1 Medulloblastoma | C716 | 9470-9474 | 0 1 3
13 | 3.4.2 Supratentorial PNET | C000-C715 C717-C809 | 9470-9474 | 0 1 3
14 | 3.5 Other specified intracranial and intraspinal neoplasms | C000-C699 C730-C750 C754-C809 |
  9350-9351 9360-9362 9390 9480 9530-9535 9537-9539 9541 9550 9562 9570 | 0 1 3
14 | 3.5 Other specified intracranial and intraspinal neoplasms | C700-C729 C751-C753 | 9161
  9361-9362 9390 9530-9531 9535 9538 9540 9560 9571 | 0 1 3
14 | 3.5 Other specified intracranial and intraspinal neoplasms | C700 | 9532 9534 9537 9539 | 0 1 3
14 | 3.5 Other specified intracranial and intraspinal neoplasms | C753 | 9360 | 0 1 3
14 | 3.5 Other specified intracranial and intraspinal neoplasms | C711 | 9480 9539 | 0 1 3
14 | 3.5 Other specified intracranial and intraspinal neoplasms | C713 | 9480 9533 | 0 1 3
14 | 3.5 Other specified intracranial and intraspinal neoplasms | C719 | 9350 | 0 1 3
14 | 3.5 Other specified intracranial and intraspinal neoplasms | C714 C717 | 9480 | 0 1 3
14 | 3.5 Other specified intracranial and intraspinal neoplasms | C709 | 9539 | 0 1 3
15 | 3.6.1 Unspecified malignant intracranial and intraspinal neoplasms | C700-C729 C751-C753 |
  8000-8005 | 3
16 | 3.6.2 Unspec. ben/border intracran. and intraspin. Neo. | C700-C729 C751-C753 | 8000-8005 | 0 1
17 | 4.1 Osteosarcoma | C000-C809 | 9180-9187 9192-9194 | 3
18 | 4.2 Chondrosarcoma | C000-C809 | 9220-9221 9230-9231 9240 9242-9243 | 3
19 | 4.3 Ewing tumor | C000-C809 | 9260 9364-9365 | 3
20 | 4.4 Other specified and unspecified bone tumors | C000-C809 | 8812 9250 9261 9370-9372 | 3
20 | 4.4 Other specified and unspecified bone tumors | C400-C419 | 8000-8005 8800-8803 8805-8806
  9200 | 3
21 | 5.1 Fibromatous neoplasms | C000-C809 | 8810-8811 8813-8815 8820-8824 8830 8832-8833 8835-8836
  9252 | 3
22 | 5.2 Rhabdomyosarcoma | C000-C809 | 8900-8904 8910 8912 8920-8921 8991 | 3
23 | 5.3.1.1 Specified (excluding Kaposi sarcoma) | C000-C809 | 8804 8825 8840-8897 8982-8983 8990
  9040-9044 9120-9139 9141-9150 9170 9251 9561 9580-9581 | 3
23 | 5.3.1.1 Specified (excluding Kaposi sarcoma) | C000-C699 C730-C750 C754-C809 | 9540 9560 9571 |
  3
24 | 5.3.1.2 Kaposi sarcoma | C000-C809 | 9140 | 3
25 | 5.3.2 Unspecified soft tissue sarcoma | C000-C399 C420-C809 | 8800-8803 8805-8806 | 3
26 | 6.1 Germ cell and trophoblastic neoplasms of gonads | C569 C620-C629 | 9060-9065 9070-9073
  9080-9085 9090-9091 9100-9102 9105 | 3
27 | 6.2.1 Intracranial (all behaviors) | C700-C729 C751-C753 | 9060-9065 9070-9073 9080-9085
  9090-9091 9100-9102 9105 | 0 1 3
28 | 6.2.2 Other nongonadal | C000-C568 C570-C619 C630-C699 C730-C750 C754-C809 | 9060-9065
  9070-9073 9080-9085 9090-9091 9100-9102 9104-9105 | 3
29 | 7.1 Melanoma | C000-C809 | 8720-8723 8726 8728 8730 8740-8746 8761 8770-8774 8780 | 3
30 | 7.2 Skin carcinomas | C440-C449 | 8010-8589 | 3
31 | 8.1 Thyroid carcinoma | C739 | 8010-8589 | 3
32 | 8.2.1 Nasopharyngeal carcinoma | C110-C119 | 8010-8589 | 3
33 | 8.2.2 Other sites in lip, oral cavity and pharynx | C000-C109 C120-C148 | 8010-8589 | 3
34 | 8.2.3 Nasal cav,mid ear,sinuses,larynx,oth ill-def head/neck | C300-C329 C760 | 8010-8589 | 3
35 | 8.3 Carcinoma of trachea,bronchus, and lung | C330-C349 | 8010-8589 | 3
36 | 8.4 Carcinoma of breast | C500-C509 | 8010-8589 | 3
37 | 8.5.1 Carcinoma of kidney | C649 | 8010-8589 | 3
38 | 8.5.2 Carcinoma of bladder | C670-C679 | 8010-8589 | 3
39 | 8.5.3 Carcinoma of gonads | C569 C620-C629 | 8010-8589 | 3
39 | 8.5.3 Carcinoma of gonads | C000-C809 | 8590-8593 | 3
40 | 8.5.4 Carcinoma of cervix and uterus | C530-C559 | 8010-8589 | 3
41 | 8.5.5 Carc of other and ill-def sites, geniourinary tract | C510-C529 C570-C579 C600-C619
  C630-C639 C659 C669 C680-C689 | 8010-8589 | 3
42 | 8.6.1 Carcinoma of colon and rectum | C180-C218 | 8010-8589 | 3
43 | 8.6.2 Carcinoma of stomach | C160-C169 | 8010-8589 | 3
44 | 8.6.3 Carcinoma of liver and intrahepatic bile ducts | C220-C221 | 8010-8589 | 3
45 | 8.6.4 Carcinoma of pancreas | C250-C259 | 8010-8589 | 3
46 | 8.6.5 Carc other and ill-def sites, gastrointestinal tract | C150-C159 C170-C179 C230-C249
  C260-C269 | 8010-8589 | 3
47 | 8.7.1 Adrenocortical carcinoma | C740-C749 | 8010-8589 | 3
48 | 8.7.2 Carcinoma of other and ill-defined sites, NOS | C149 C219 C222-C229 C270-C299 C350-C439
  C450-C499 C561-C568 C580-C599 C640-C648 C650-C658 C660-C668 C690-C738 C750-C759 C761-C809 |
  8010-8589 | 3
48 | 8.7.2 Carcinoma of other and ill-defined sites, NOS | C809 | 9010 | 3
49 | 9.1.1 Wilms tumor | C000-C809 | 8959-8960 | 3
50 | 9.1.2 Neuroblastoma | C000-C809 | 9490 9500 | 3
51 | 9.1.3 Other pediatric and embryonal tumors, NOS | C000-C809 | 8963-8964 8970-8973 8981 9363
  9501-9523 | 3
52 | 9.2.1 Paraganglioma and glomus tumors | C000-C809 | 8680-8711 | 3
53 | 9.2.2 Other specified gonadal tumors | C000-C809 | 8600-8650 9000 | 3
53 | 9.2.2 Other specified gonadal tumors | C569 | 8670 9013-9015 9054 | 3
54 | 9.2.3 Myeloma, mast cell, misc. lymphoreticular neo., NOS | C000-C809 | 9724 9731-9734
  9740-9741 9743-9764 9766 9769 9960 9965-9967 9970-9971 | 3
55 | 9.2.4 Other specified neoplasms, NOS | C000-C809 | 8930-8951 8980 9020 9050-9053 9110 9160
  9270-9330 9950 9961-9962 9975 9980 9982 9989 9991-9992 | 3
55 | 9.2.4 Other specified neoplasms, NOS | C000-C699 C730-C750 C754-C809 | 9161 | 3
56 | 10 Unspecified Malignant Neoplasms | C000-C399 C420-C699 C730-C750 C754-C809 | 8000-8005 | 3
`
