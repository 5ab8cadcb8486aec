package files

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"image"
	"image/color"
	_ "image/gif" // image.Decode knows it
	"image/jpeg"
	"image/png"
	"io"
	"net/http"

	"github.com/agentbash/agentbash/registry"
	_ "golang.org/x/image/bmp" // image.Decode knows it
	"golang.org/x/image/draw"
	_ "golang.org/x/image/tiff" // image.Decode knows it
	_ "golang.org/x/image/webp" // image.Decode knows it
)

// What models take without making it smaller themselves, and what is decoded at all.
const (
	imageSide   = 1568      // pixels
	imageBytes  = 3_500_000 // base64 makes 4.7 MB of it
	imagePixels = 50 << 20  // two or three seconds
	imageLong   = 1 << 16   // pixels of a side
	imageFile   = 128 << 20
)

// showImage shows a picture to who reads the result. It returns its dimensions, how it is shown,
// and whether it is; if not, how says why.
func showImage(ctx context.Context, call *registry.Call, name string, r io.Reader, size int64) (dimensions, how string, shown bool) {
	var head bytes.Buffer
	c, _, err := image.DecodeConfig(io.TeeReader(r, &head))
	if err != nil {
		return "", "", false
	}
	dimensions = fmt.Sprintf("%dx%d pixels", c.Width, c.Height)
	switch {
	case call.Show == nil:
		return dimensions, "it is shown only to a model that takes images", false
	case size > imageFile || c.Width*c.Height > imagePixels || max(c.Width, c.Height) > imageLong:
		return dimensions, fmt.Sprintf("it is too big to be shown (%s pixels and %d MB are the most): make it smaller first", groupThousands(imagePixels), imageFile>>20), false
	}
	data, err := io.ReadAll(io.MultiReader(&head, r))
	if err != nil {
		return dimensions, "it cannot be read (" + err.Error() + ")", false
	}
	mime := http.DetectContentType(data)
	how = "shown as an image"
	if max(c.Width, c.Height) > imageSide || len(data) > imageBytes || mime == "image/bmp" || mime == "application/octet-stream" {
		var w, h int
		if data, w, h, err = shrinkImage(ctx, data); err != nil {
			return dimensions, "it cannot be made smaller (" + err.Error() + ")", false
		}
		mime, how = http.DetectContentType(data), fmt.Sprintf("shown as an image of %dx%d", w, h)
	} else if _, err := decodeImage(ctx, data); err != nil && (mime == "image/png" || errors.Is(err, io.ErrUnexpectedEOF)) { // else models may know more
		return dimensions, "it is broken (" + err.Error() + ")", false
	}
	if !call.Show(registry.Image{Name: name, MIME: mime, Data: data}) {
		return dimensions, "one command shows no more images", false
	}
	return dimensions, how, true
}

// decodeImage reads until the call ends: what is well packed takes seconds.
func decodeImage(ctx context.Context, data []byte) (image.Image, error) {
	img, _, err := image.Decode(io.NewSectionReader(untilDone{ctx, bytes.NewReader(data)}, 0, int64(len(data))))
	return img, err
}

// shrinkImage makes a picture that models take: PNG, or JPEG where that would be too big.
func shrinkImage(ctx context.Context, data []byte) (out []byte, w, h int, err error) {
	src, err := decodeImage(ctx, data)
	if err != nil {
		return nil, 0, 0, err
	}
	w, h = src.Bounds().Dx(), src.Bounds().Dy()
	if long := max(w, h); long > imageSide {
		w, h = max(w*imageSide/long, 1), max(h*imageSide/long, 1)
	}
	dst := image.NewRGBA(image.Rect(0, 0, w, h))
	draw.Draw(dst, dst.Bounds(), image.NewUniform(color.White), image.Point{}, draw.Src)
	draw.CatmullRom.Scale(dst, dst.Bounds(), src, src.Bounds(), draw.Over, nil)
	var b bytes.Buffer
	if err = png.Encode(&b, dst); err == nil && b.Len() > imageBytes/3 {
		b.Reset()
		err = jpeg.Encode(&b, dst, &jpeg.Options{Quality: 85})
	}
	return b.Bytes(), w, h, err
}
