/** What carries the 555 exchange of an area code in the generated world. */
export type LineType = 'mobile' | 'landline' | 'voip' | 'tollfree'

export interface AreaCode {
  readonly code: string
  readonly state: string
  readonly line: LineType
}

// m mobile, l landline, v voip before the codes they hold for.
const CODES = `
  NY m 332 347 646 917 929 934 516 845 315 l 212 718 631 914 518 585 716 607 v 838 680
  FL m 754 786 321 689 239 904 941 850 448 l 954 305 407 561 772 727 813 863 352 386 v 645 656
  TX m 737 832 346 469 214 726 682 430 936 l 512 713 281 210 972 817 903 915 956 806 361 409 254 979 v 945 830
  AL m 205 251 l 256 334 v 659
  AZ m 480 602 l 520 623 v 928
  AR m 479 501 l 870
  CA m 213 310 323 408 415 424 442 510 562 619 628 650 657 669 707 714 l 209 530 559 626 661 760 805 818 831 858 v 747 820 909 916 925 949 951
  CO m 303 720 l 719 v 970
  CT m 203 475 l 860
  DE m 302
  DC m 202
  GA m 404 470 678 770 l 229 478 706 v 762 912
  HI m 808
  ID m 208 l 986
  IL m 224 312 331 630 773 847 l 217 309 618 708 815 v 779 872
  IN m 317 463 574 l 219 260 765 v 812 930
  IA m 319 515 l 563 641 v 712
  KS m 316 913 l 620 v 785
  KY m 270 502 l 606 v 859
  LA m 225 504 l 318 337 v 985
  ME m 207
  MD m 240 301 443 l 410
  MA m 339 351 617 774 857 l 413 508 781 v 978
  MI m 248 313 586 734 l 231 269 517 616 810 v 906 947 989
  MN m 612 651 763 l 218 320 v 507 952
  MS m 601 662 l 228
  MO m 314 816 l 417 573 v 636
  MT m 406
  NE m 402 l 308
  NV m 702 725 l 775
  NH m 603
  NJ m 201 551 732 848 862 l 609 856 908 973
  NM m 505 l 575
  NC m 336 704 919 980 984 l 252 828 v 910
  ND m 701
  OH m 216 234 330 440 513 614 l 419 567 740 v 937
  OK m 405 918 l 580
  OR m 503 971 l 541
  PA m 215 267 412 484 610 l 570 717 724 v 814 878
  RI m 401
  SC m 803 843 l 864
  SD m 605
  TN m 615 629 901 l 423 731 v 865 931
  UT m 385 801 l 435
  VT m 802
  VA m 571 703 757 l 276 434 v 540 804
  WA m 206 253 425 l 360 v 509
  WV m 304
  WI m 262 414 608 l 715 v 920
  WY m 307`

const LINES: Readonly<Record<string, LineType>> = { m: 'mobile', l: 'landline', v: 'voip' }
const TOLL_FREE = ['800', '833', '844', '855', '866', '877', '888']

/** Real area codes; a number's row in this list and its last four digits are how the world holds it. */
export const AREA_CODES: readonly AreaCode[] = [...parsed(), ...TOLL_FREE.map(tollFree)]

function* parsed(): Generator<AreaCode> {
  for (const row of CODES.trim().split('\n')) {
    const [state = '', ...words] = row.trim().split(' ')
    let line: LineType = 'mobile'
    for (const word of words) {
      const named = LINES[word]
      if (named === undefined) yield { code: word, state, line }
      else line = named
    }
  }
}

function tollFree(code: string): AreaCode {
  return { code, state: '', line: 'tollfree' }
}
