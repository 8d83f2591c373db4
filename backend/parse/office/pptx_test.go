package office_test

import (
	"strings"
	"testing"
)

// sp is a shape with a placeholder ("" for none), a place and paragraphs.
func sp(holder, place string, paragraphs ...string) string {
	if holder != "" {
		holder = `<p:ph ` + holder + `/>`
	}
	if place != "" {
		place = xfrm("a", place)
	}
	return `<p:sp><p:nvSpPr><p:nvPr>` + holder + `</p:nvPr></p:nvSpPr><p:spPr>` + place + `</p:spPr><p:txBody>` + strings.Join(paragraphs, "") + `</p:txBody></p:sp>`
}

// xfrm is a transform of x, y, width and height.
func xfrm(prefix, place string) string {
	f := strings.Fields(place)
	return `<` + prefix + `:xfrm><a:off x="` + f[0] + `" y="` + f[1] + `"/><a:ext cx="` + f[2] + `" cy="` + f[3] + `"/></` + prefix + `:xfrm>`
}

func ap(properties, s string) string {
	return `<a:p>` + properties + `<a:r><a:t>` + s + `</a:t></a:r></a:p>`
}

func slide(attr string, shapes ...string) string {
	return `<p:sld ` + nsSlide + attr + `><p:cSld><p:spTree>` + strings.Join(shapes, "") + `</p:spTree></p:cSld></p:sld>`
}

// deck is a presentation of slides; they are listed in reverse of their names.
func deck(slides ...string) map[string]string {
	parts := map[string]string{"_rels/.rels": rels([3]string{"r1", "officeDocument", "ppt/presentation.xml"})}
	list, links := "", [][3]string{}
	for i, s := range slides {
		name := "slide" + n(len(slides)-i) + ".xml"
		parts["ppt/slides/"+name] = s
		list += `<p:sldId id="` + n(256+i) + `" r:id="rId` + n(i) + `"/>`
		links = append(links, [3]string{"rId" + n(i), "slide", "slides/" + name})
	}
	parts["ppt/presentation.xml"] = `<p:presentation ` + nsSlide + `><p:sldIdLst>` + list + `</p:sldIdLst></p:presentation>`
	parts["ppt/_rels/presentation.xml.rels"] = rels(links...)
	return parts
}

func richDeck() map[string]string {
	table := `<p:graphicFrame>` + xfrm("p", "0 900 100 50") + `<a:graphic><a:graphicData><a:tbl><a:tblPr firstRow="1"/>
<a:tr><a:tc gridSpan="2"><a:txBody>` + ap("", "合并头") + `</a:txBody></a:tc><a:tc hMerge="1"><a:txBody/></a:tc></a:tr>
<a:tr><a:tc rowSpan="2"><a:txBody>` + ap("", "竖") + `</a:txBody></a:tc><a:tc><a:txBody>` + ap("", "1") + `</a:txBody></a:tc></a:tr>
<a:tr><a:tc vMerge="1"><a:txBody/></a:tc><a:tc><a:txBody>` + ap("", "2") + `</a:txBody></a:tc></a:tr></a:tbl></a:graphicData></a:graphic></p:graphicFrame>`
	aside := func(what, place string) string {
		return `<p:graphicFrame>` + xfrm("p", place) + `<a:graphic><a:graphicData>` + what + `</a:graphicData></a:graphic></p:graphicFrame>`
	}
	group := `<p:grpSp><p:grpSpPr>` + xfrm("a", "0 500 400 100") + `</p:grpSpPr>` + sp("", "200 0 50 50", ap("", "组内右")) + sp("", "0 0 50 50", ap("", "组内左")) + `</p:grpSp>`
	second := slide(` show="0"`,
		sp("", "0 1500 100 100", ap("", "最下")),
		sp(`type="body" idx="1"`, "", ap("", "一级"), ap(`<a:pPr lvl="1"/>`, "二级"), ap(`<a:pPr><a:buNone/></a:pPr>`, "无点"),
			ap(`<a:pPr><a:buAutoNum type="ea1ChsPeriod"/></a:pPr>`, "编号"), ap(`<a:pPr><a:buAutoNum type="ea1ChsPeriod"/></a:pPr>`, "再编号")),
		group, table,
		aside(`<c:chart r:id="rC"/>`, "0 1000 100 50"), aside(`<dgm:relIds r:dm="rD"/>`, "0 1100 100 50"), aside(`<p:oleObj/>`, "0 1200 100 50"),
		`<p:pic/>`,
		sp(`type="ftr"`, "0 2000 10 10", ap("", "页脚")), sp(`type="sldNum"`, "", `<a:p><a:fld type="slidenum"><a:t>2</a:t></a:fld></a:p>`),
		sp(`type="title"`, "0 700 100 10", `<a:p><a:r><a:t>中国</a:t></a:r><a:br/><a:r><a:t>银行</a:t></a:r></a:p>`))
	return with(deck(slide("", sp(`type="ctrTitle"`, "", ap("", "总标题")), sp(`type="subTitle" idx="1"`, "", ap("", "副标题"))), second), map[string]string{
		"ppt/slides/_rels/slide2.xml.rels": rels([3]string{"rL", "slideLayout", "../slideLayouts/l1.xml"}),
		"ppt/slides/_rels/slide1.xml.rels": rels([3]string{"rL", "slideLayout", "../slideLayouts/l2.xml"}, [3]string{"rN", "notesSlide", "../notesSlides/n1.xml"},
			[3]string{"rC", "chart", "../charts/c.xml"}, [3]string{"rD", "diagramData", "../diagrams/d.xml"}),
		"ppt/slideLayouts/l1.xml":            `<p:sldLayout ` + nsSlide + ` type="title"><p:cSld><p:spTree>` + sp(`type="ctrTitle"`, "", ap("", "单击此处编辑标题")) + `</p:spTree></p:cSld></p:sldLayout>`,
		"ppt/slideLayouts/l2.xml":            `<p:sldLayout ` + nsSlide + ` type="obj"><p:cSld><p:spTree>` + sp(`idx="1"`, "0 100 400 300", ap("", "单击此处编辑文本")) + `</p:spTree></p:cSld></p:sldLayout>`,
		"ppt/slideLayouts/_rels/l2.xml.rels": rels([3]string{"rM", "slideMaster", "../slideMasters/m.xml"}),
		"ppt/slideMasters/m.xml":             `<p:sldMaster ` + nsSlide + `><p:cSld><p:spTree/></p:cSld><p:txStyles><p:bodyStyle><a:lvl1pPr><a:buChar char="•"/></a:lvl1pPr><a:lvl2pPr><a:buChar char="–"/></a:lvl2pPr></p:bodyStyle></p:txStyles></p:sldMaster>`,
		"ppt/notesSlides/n1.xml":             `<p:notes ` + nsSlide + `><p:cSld><p:spTree>` + sp(`type="sldImg"`, "") + sp(`type="body" idx="1"`, "", ap("", "讲解要点在此")) + sp(`type="sldNum"`, "", ap("", "2")) + `</p:spTree></p:cSld></p:notes>`,
		"ppt/charts/c.xml":                   chartPart,
		"ppt/diagrams/d.xml":                 diagramPart,
	})
}

func TestSlidesGolden(tt *testing.T) {
	tt.Parallel()
	golden(tt, "pptx.golden", parse(tt, "讲稿.pptx", pack(tt, richDeck())))
}

func TestSlidesWithoutList(tt *testing.T) {
	tt.Parallel()
	parts := deck(slide("", sp("", "", ap("", "二"))), slide("", sp("", "", ap("", "一"))))
	parts["ppt/presentation.xml"] = `<p:presentation ` + nsSlide + `/>`
	if got := parse(tt, "x.pptx", pack(tt, parts)).Text; got != "一\n\n二" {
		tt.Errorf("%q", got)
	}
}

func TestSlideMissing(tt *testing.T) {
	tt.Parallel()
	parts := deck(slide("", sp("", "", ap("", "一"))), slide("", sp("", "", ap("", "二"))))
	delete(parts, "ppt/slides/slide1.xml")
	d := parse(tt, "x.pptx", pack(tt, parts))
	if d.Text != "一" || d.Health.Pages != 2 || len(d.Warnings) != 1 || d.Warnings[0].Detail != "slide 2" {
		tt.Errorf("%q, %+v, %v", d.Text, d.Health, d.Warnings)
	}
}
